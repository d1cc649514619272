// stored_weights: saves prepared weights as bytes, and makes executors of embedded, mapped or kept bytes.
// Flow: a program of the build writes the result of store_weights(); the shipped program calls restore_executor(),
// which does not bind, pack or copy.
#pragma once

#include <nnrt/exec/executor.hpp>
#include <nnrt/exec/stored_bytes.hpp>
#include <nnrt/io/embed.hpp>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// The members of an executor.
struct executor_parts {
  template <class Executor> static const prepared_weights* weights(const Executor& of) {
    return of.weights_ ? &*of.weights_ : nullptr;
  }
  template <class Executor>
  static result<Executor> joined(shared<const prepared_weights> weights, const options& wanted) {
    return Executor::with(std::move(weights), wanted);
  }
};

inline constexpr stored_kind weights_kind{0x737468677774726e, 4, "stored weights"};  // "nrtwghts"

/// Digest of everything that affects the prepared numbers: the plan's digest, attributes, names of weights, constants.
/// These bytes contain no graph, so the digest must differ for another network with the same layers.
inline std::uint64_t network_digest_of(const plan_view& plan) {
  byte_writer all;
  all.put(plan_digest_of(plan));
  all.put_list<word>(plan.words);
  all.put_list<char>(plan.text);
  all.put(digest_of(plan.constants));
  return digest_of(array_ref<const std::byte>(all.bytes));
}

inline std::vector<std::int64_t> weight_sizes(const plan_view& plan) {
  std::vector<std::int64_t> sizes;
  for (const port& w : plan.weights) sizes.push_back(plan.desc_of(w).bytes());
  return sizes;
}

inline byte_list store_weights(const plan_view& plan, const prepared_weights& weights) {
  const std::vector<std::int64_t> sizes = weight_sizes(plan);
  const stored_places layout(plan.prepared_bytes, sizes, weights_read(plan));
  byte_writer head = begun_head(weights_kind);
  head.put(network_digest_of(plan));
  head.put(layout.prepared_bytes);
  head.put_list<std::int64_t>(layout.places);
  const std::byte* const prepared = weights.stored != nullptr ? weights.stored : weights.memory.data();
  return sealed(weights_kind, std::move(head.bytes), layout.data_bytes,
                [&](std::byte* data) { layout.copy(prepared, weights.bound->pointers(), sizes, data); });
}

inline result<shared<const prepared_weights>> restore_weights(const plan_view& plan, const shared_bytes& bytes,
                                                              bool data_is_checked) {
  if (reinterpret_cast<std::uintptr_t>(bytes.bytes().data()) % 64 != 0)
    return weights_kind.refused({"lies at an address that is no multiple of 64"});
  byte_reader head;
  array_ref<const std::byte> data;
  if (auto ok = open_sealed(weights_kind, bytes.bytes(), data_is_checked, head, data); !ok)
    return fail(std::move(ok.error()));
  const auto digest = head.number<std::uint64_t>();
  const auto prepared_bytes = head.number<std::int64_t>();
  std::vector<std::int64_t> places;
  head.list<std::int64_t>(places);
  if (!head.ok) return weights_kind.refused({"does not hold what it says"});
  if (network_digest_of(plan) != digest)
    return weights_kind.refused({"was stored of another network, or packed for other kernels"});
  pool<const std::byte*> pointers;
  if (auto ok = find_weights(weights_kind, places, weight_sizes(plan), data, pointers); !ok)
    return fail(std::move(ok.error()));
  if (auto ok = check_prepared(weights_kind, plan, prepared_bytes, data, pointers); !ok)
    return fail(std::move(ok.error()));
  const auto made = shared<prepared_weights>::make();
  made->bound = shared<bound_weights>::make(bound_weights::stored(std::move(pointers), bytes.keeper()));
  made->stored = data.data();
  return shared<const prepared_weights>(made);
}

}  // namespace detail

/// The bytes for restore_executor(): weights as this executor's kernels read them, for this program's instruction set.
/// Weights that are read only as packed weights are left out. Error: invalid_argument (an executor that could not be
/// made).
template <class G, class Policy> result<byte_list> store_weights(const executor<G, Policy>& run) {
  const prepared_weights* const weights = detail::executor_parts::weights(run);
  if (weights == nullptr)
    return fail(error_code::invalid_argument, "stored weights: this executor could not be made, it has none");
  return detail::store_weights(run.plan_of_steps(), *weights);
}

/// An executor with weights that were stored by an executor of the same type; results have the same bits:
///
/// `auto run = nnrt::restore_executor<nnrt::executor<net>>(bytes);`
///
/// It reads the weights directly in `bytes`, which are kept while it or an executor that shares them exists. With
/// `data_is_checked` the caller guarantees that the weights are undamaged, and their digest is not computed.
/// Errors: invalid_file (bytes of another kind, network, version or planner, or damaged); not_supported (another
/// instruction set); invalid_argument (options); out_of_memory.
template <class Executor>
result<Executor> restore_executor(const shared_bytes& bytes, const options& wanted = {}, bool data_is_checked = false) {
  if (auto ok = check_options(wanted); !ok) return fail(std::move(ok.error()));
  auto weights = detail::restore_weights(Executor::plan_of_steps(), bytes, data_is_checked);
  if (!weights) return fail(std::move(weights.error()));
  return detail::executor_parts::joined<Executor>(std::move(*weights), wanted);
}
/// As above from bytes in the program itself, whose data is not checked.
template <class Executor> result<Executor> restore_executor(const embedded_file& bytes, const options& wanted = {}) {
  return restore_executor<Executor>(shared_bytes::lasting({bytes.data(), bytes.size()}), wanted, true);
}

}}  // namespace nnrt::NNRT_ISA
