// failing_disk: the file system of these tests, which is full, or the end of the process, at any call.
// Flow: a child process arms it before it builds with a cache; failing_disk.cpp stands before the system calls that
// writing files needs.
#pragma once

namespace nnrt_test {

/// What becomes of the call of this number, counted from 0, and in the first case of all after it.
struct disk_fault {
  enum kind { full, killed, killed_half_way } what;
  long number;
};

/// From now on opening to create, write, fsync and rename count, and meet the fault. (A full disk still removes files.)
void arm_disk(const disk_fault& fault);
/// Whether they did.
bool disk_has_failed();

}  // namespace nnrt_test
