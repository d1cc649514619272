// message_parcel_test: what is written comes out again, in the places and sizes that drivers rely on.
#include <nnrt/hdi_ohos.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <string>
#include <string_view>

using OHOS::MessageParcel;

TEST_CASE("message_parcel: each write is filled up to 4 bytes and read back by its own read") {
  MessageParcel p;
  CHECK(p.WriteBool(true));
  CHECK(p.WriteInt8(-5));
  CHECK(p.WriteUint16(65535));
  CHECK(p.GetDataSize() == 12);
  CHECK(p.WriteInt64(-6));
  CHECK(p.WriteDouble(0.25));
  CHECK(p.GetDataSize() == 28);
  CHECK(p.WriteFloat(1.5F));
  CHECK(p.WriteCString("seven77"));
  CHECK(p.GetDataSize() == 40);
  CHECK(p.WriteString("abc"));
  CHECK(p.GetDataSize() == 48);
  CHECK(p.WriteInt64Vector({1, -2}));
  const char raw[] = {1, 2, 3, 4, 5};
  CHECK(p.WriteBuffer(raw, 5));
  CHECK(p.GetDataSize() == 48 + 20 + 8);

  CHECK(p.ReadBool());
  CHECK(p.ReadInt8() == -5);
  CHECK(p.ReadUint16() == 65535);
  CHECK(p.ReadInt64() == -6);
  CHECK(p.ReadDouble() == 0.25);
  CHECK(p.ReadFloat() == 1.5F);
  CHECK(std::string_view(p.ReadCString()) == "seven77");
  std::string text;
  CHECK(p.ReadString(text));
  CHECK(text == "abc");
  std::vector<std::int64_t> list;
  CHECK(p.ReadInt64Vector(&list));
  CHECK(list == std::vector<std::int64_t>{1, -2});
  const std::uint8_t* bytes = p.ReadBuffer(5);
  REQUIRE(bytes != nullptr);
  CHECK(bytes[4] == 5);
  CHECK(p.GetReadableBytes() == 0);
  CHECK(p.RewindRead(4));
  CHECK(p.ReadInt8() == -5);
  p.FlushBuffer();
  CHECK(p.GetDataSize() == 0);
}

namespace {

/// The least and the largest number come back by both reads, each from `bytes` bytes.
template <class T>
void check_ends(std::size_t bytes, bool (MessageParcel::*write)(T), bool (MessageParcel::*read)(T&),
                T (MessageParcel::*read_value)()) {
  CAPTURE(bytes);
  for (const T number : {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()}) {
    MessageParcel p;
    CHECK((p.*write)(number));
    CHECK(p.GetDataSize() == bytes);
    T got{};
    CHECK((p.*read)(got));
    CHECK(got == number);
    CHECK(!(p.*read)(got));
    CHECK(p.RewindRead(0));
    CHECK((p.*read_value)() == number);
    CHECK((p.*read_value)() == T{});
  }
}

}  // namespace

TEST_CASE("message_parcel: numbers of every type keep their ends") {
  using mp = MessageParcel;
  check_ends<bool>(4, &mp::WriteBool, &mp::ReadBool, &mp::ReadBool);
  check_ends<std::int8_t>(4, &mp::WriteInt8, &mp::ReadInt8, &mp::ReadInt8);
  check_ends<std::int16_t>(4, &mp::WriteInt16, &mp::ReadInt16, &mp::ReadInt16);
  check_ends<std::int32_t>(4, &mp::WriteInt32, &mp::ReadInt32, &mp::ReadInt32);
  check_ends<std::int64_t>(8, &mp::WriteInt64, &mp::ReadInt64, &mp::ReadInt64);
  check_ends<std::uint8_t>(4, &mp::WriteUint8, &mp::ReadUint8, &mp::ReadUint8);
  check_ends<std::uint16_t>(4, &mp::WriteUint16, &mp::ReadUint16, &mp::ReadUint16);
  check_ends<std::uint32_t>(4, &mp::WriteUint32, &mp::ReadUint32, &mp::ReadUint32);
  check_ends<std::uint64_t>(8, &mp::WriteUint64, &mp::ReadUint64, &mp::ReadUint64);
  check_ends<float>(4, &mp::WriteFloat, &mp::ReadFloat, &mp::ReadFloat);
  check_ends<double>(8, &mp::WriteDouble, &mp::ReadDouble, &mp::ReadDouble);
}

TEST_CASE("message_parcel: a list may be all that is there, and says no more than that") {
  for (const std::vector<std::int64_t>& list : {std::vector<std::int64_t>{}, {7}, {7, -8}}) {
    MessageParcel p;
    CHECK(p.WriteInt64Vector(list));
    std::vector<std::int64_t> got{9};
    CHECK(p.ReadInt64Vector(&got));
    CHECK(got == list);
    CHECK(p.GetReadableBytes() == 0);
  }
  MessageParcel p;
  CHECK(p.WriteInt32(2));
  CHECK(p.WriteInt64(7));
  std::vector<std::int64_t> got;
  CHECK(!p.ReadInt64Vector(&got));
  CHECK(p.GetReadPosition() == 0);
}

TEST_CASE("message_parcel: raw bytes are those of a buffer") {
  MessageParcel p;
  CHECK(p.WriteRawData("abc", 3));
  CHECK(p.WriteUnpadBuffer("defg", 4));
  CHECK(p.GetDataSize() == 8);
  CHECK(std::memcmp(p.ReadRawData(3), "abc", 3) == 0);
  CHECK(std::memcmp(p.ReadUnpadBuffer(4), "defg", 4) == 0);
  CHECK(p.ReadRawData(1) == nullptr);
}

TEST_CASE("message_parcel: nothing is read past the end, and a failed read moves nothing") {
  MessageParcel p;
  CHECK(!p.WriteBuffer("", 0));
  CHECK(!p.WriteBuffer(nullptr, 4));
  CHECK(p.WriteInt32(0x41414141));
  std::int64_t wide = 9;
  CHECK(!p.ReadInt64(wide));
  CHECK(p.ReadBuffer(5) == nullptr);
  CHECK(p.ReadBuffer(0) == nullptr);
  CHECK(p.ReadCString() == nullptr);
  std::string text = "old";
  CHECK(!p.ReadString(text));
  std::vector<std::int64_t> list;
  CHECK(!p.ReadInt64Vector(&list));
  CHECK(!p.RewindRead(5));
  CHECK(p.ReadInt32() == 0x41414141);
  CHECK(p.ReadInt32() == 0);
  p.SkipBytes(100);
  CHECK(p.GetReadPosition() == 4);
}

TEST_CASE("message_parcel: file descriptors keep their order and their owner") {
  MessageParcel p;
  CHECK(!p.WriteFileDescriptor(-1));
  CHECK(!p.ContainFileDescriptors());
  CHECK(p.WriteFileDescriptor(5));
  CHECK(p.WriteFileDescriptor(4));
  CHECK(p.ContainFileDescriptors());
  CHECK(p.ReadFileDescriptor() == 5);
  CHECK(p.ReadFileDescriptor() == 4);
  CHECK(p.ReadFileDescriptor() == -1);
}

TEST_CASE("message_parcel: models of every version go through it whole") {
  using namespace OHOS::HDI::Nnrt::V2_1;
  Model model{};
  model.name = "m";
  model.inputIndex = {0};
  model.allTensors.resize(2);
  model.allTensors[1].data = {12, 8, 0, 8};
  model.nodes.resize(1);
  Range range{};
  range.limit = 4;
  MessageParcel attributes;
  CHECK(RangeBlockMarshalling(attributes, range));
  CHECK(attributes.GetDataSize() == 32);
  model.subGraph.push_back({"all", {0}, {1}, {0}});
  MessageParcel p;
  CHECK(ModelBlockMarshalling(p, model));
  Model back{};
  CHECK(ModelBlockUnmarshalling(p, back));
  CHECK(back == model);
  ModelConfig config{true, PERFORMANCE_LOW, PRIORITY_HIGH, {{"key", {1, 2}}}}, got{};
  CHECK(ModelConfigBlockMarshalling(p, config));
  CHECK(ModelConfigBlockUnmarshalling(p, got));
  CHECK(got == config);
  OHOS::HDI::Nnrt::V1_0::ModelConfig before{true, PERFORMANCE_LOW, PRIORITY_HIGH}, same{};
  CHECK(ModelConfigBlockMarshalling(p, before));
  CHECK(p.GetReadableBytes() == 16);
  CHECK(ModelConfigBlockUnmarshalling(p, same));
  CHECK(same == before);
}
