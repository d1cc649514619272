// models: loaded models, and the groups of models that share a packed handle.
// Flow: the loading functions make them from saved_model; tasks borrow sessions from them.
#pragma once

#include <nnrt/exec/session.hpp>
#include <nnrt/hb_dnn/tensor_specs.hpp>
#include <nnrt/io/saved_model.hpp>
#include <nnrt/passes/open_states.hpp>
#include <nnrt/policy/accelerators.hpp>

#include <list>
#include <optional>

namespace nnrt { inline namespace NNRT_ISA { namespace hb_dnn {

/// Largest number of models of a packed handle.
inline constexpr std::size_t max_models = 255;

/// A model, ready to run. Any number of threads may run it, each in its own session.
class loaded_model {
 public:
  std::string name;
  const accelerator* table = nullptr;
  std::vector<tensor_spec> inputs, outputs;
  std::int64_t batch = 1;
  int resizer_inputs = 0;

  /// A list: moving an element to another list allocates nothing.
  using sessions = std::list<session>;

  /// Errors: invalid_file (not compiled, or for an unknown architecture; unknown extents, or extents too large for
  /// hbDNN; an input without items; zero points outside hbDNN's range; a resizer's image that its architecture does not
  /// support); those of compile().
  /// A state becomes an input and an output of one name, as tasks run in any session.
  static result<std::shared_ptr<loaded_model>> make(const saved_model& from) {
    if (!from.network.graph.states.empty()) {
      saved_model opened = from;
      passes::open_states(opened.network.graph);
      return make(opened);
    }
    auto made = std::make_shared<loaded_model>();
    made->name = from.name;
    made->table = find_accelerator(from.architecture);
    if (made->table == nullptr)
      return fail(error_code::invalid_file,
                  {piece::in_quotes(from.name), ": compiled for ", piece::in_quotes(from.architecture),
                   ", which is no architecture that is known"});
    auto compiled = compile(from.network, {.threads = 1});
    if (!compiled) return fail(std::move(compiled.error()));
    if (from.name.find('\0') != from.name.npos)
      return fail(error_code::invalid_file,
                  {piece::in_quotes(from.name), ": got a name with a NUL, which hbDNN cannot list"});
    if (!compiled->has_plan())
      return fail(error_code::invalid_file,
                  {piece::in_quotes(from.name), ": an input has an extent that only a run knows"});
    made->program_.emplace(std::move(*compiled));
    const ir::graph& g = from.network.graph;
    for (std::size_t i = 0; i < g.inputs.size(); ++i)
      made->inputs.push_back(made->spec_of(from, g.inputs[i], g.name_of(g.at(g.inputs[i]).name),
                                           i < from.inputs.size() ? from.inputs[i] : saved_input{}, tensor_use::input));
    for (std::size_t i = 0; i < g.outputs.size(); ++i) {
      saved_input given;
      if (i < from.outputs.size()) given.packed = from.outputs[i].packed;
      made->outputs.push_back(
          made->spec_of(from, g.outputs[i].value, g.name_of(g.outputs[i].name), given, tensor_use::output));
    }
    if (auto ok = made->check(); !ok) return fail(std::move(ok.error()).in(from.name));
    return made;
  }

  /// Borrows a session for exclusive use. A session that ran out of memory is discarded, and the next lease tries a new
  /// one.
  class lease {
   public:
    explicit lease(loaded_model& of) : of_(of), session_(of.take()), ready_(session_.front().ready()) {}
    lease(const lease&) = delete;
    ~lease() {
      if (ready_) of_.give_back(session_);
    }
    /// Error: out_of_memory; the session cannot run.
    const result<void>& ready() const { return ready_; }
    session& operator*() { return session_.front(); }

   private:
    loaded_model& of_;
    sessions session_;
    result<void> ready_;
  };

 private:
  tensor_spec spec_of(const saved_model& from, std::int32_t id, std::string_view its_name, const saved_input& given,
                      tensor_use use) const {
    const ir::graph& g = from.network.graph;
    const bool is_input = use == tensor_use::input;
    std::size_t i = 0;
    while (is_input ? g.inputs[i] != id : g.outputs[i].value != id) ++i;
    return {its_name, is_input ? program_->input_desc(i) : program_->output_desc(i),
            given,    *table,
            use,      channel_scales(from.network, id)};
  }
  result<void> check() {
    batch = inputs.empty() ? 1 : inputs[0].batch();
    for (const auto* const list : {&inputs, &outputs})
      for (const tensor_spec& each : *list) {
        if (data_type_of(each.desc.type) == HB_DNN_TENSOR_TYPE_MAX)
          return fail(error_code::invalid_file,
                      {piece::in_quotes(each.name), ": hbDNN has no elements of ", name_of(each.desc.type)});
        if (each.desc.bytes() > (std::int64_t{1} << 29) || each.lies.bytes > (std::int64_t{1} << 30))
          return fail(error_code::invalid_file,
                      {piece::in_quotes(each.name), ": got ", std::max(each.desc.bytes(), each.lies.bytes),
                       " bytes with padding, expected at most ", std::int64_t{1} << 30, ", and at most ",
                       std::int64_t{1} << 29, " without"});
        if (!each.zero_point_fits())
          return fail(error_code::invalid_file, {piece::in_quotes(each.name), ": got zero point ",
                                                 each.desc.quantised.zero_point, ", expected -128 to 127"});
      }
    bool has_one_batch = true;
    for (const tensor_spec& each : inputs) {
      if (each.batch() < 1) return fail(error_code::invalid_file, {piece::in_quotes(each.name), ": has no items"});
      has_one_batch = has_one_batch && each.batch() == batch;
    }
    if (!has_one_batch) batch = 1;  // no batch to split
    for (const tensor_spec& each : inputs) {
      if (!each.from_resizer()) continue;
      ++resizer_inputs;
      const std::int64_t most = resizer_of(*table).max_pixels, pixels = each.height() * each.width();
      if (!has_one_batch)
        return fail(error_code::invalid_file, "its inputs have several batches, though one comes from the resizer");
      if (!each.given.is_image || !is_nv12(each.properties.tensorType))
        return fail(error_code::invalid_file, {piece::in_quotes(each.name),
                                               ": comes from the resizer, which gives NV12, but is of another type"});
      if (most != 0 && pixels > most)
        return fail(error_code::invalid_file, {piece::in_quotes(each.name), ": has ", pixels,
                                               " pixels, but the resizer of ", table->name, " makes at most ", most});
    }
    return {};
  }

  sessions take() {
    sessions one;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) one.splice(one.begin(), idle_, idle_.begin());
    }
    if (one.empty()) one.emplace_back(*program_);
    return one;
  }
  void give_back(sessions& one) {
    const std::lock_guard lock(mutex_);
    idle_.splice(idle_.begin(), one);
  }

  std::optional<program> program_;
  std::mutex mutex_;
  sessions idle_;
};

/// The models of a packed handle.
class packed_models {
 public:
  std::vector<std::shared_ptr<loaded_model>> models;
  std::vector<const char*> names;  // of the models
  std::vector<void*> handles;

  /// Adds models. Errors: as loaded_model::make(); invalid_file for a repeated name.
  result<void> add(std::span<const saved_model> further) {
    for (const saved_model& each : further) {
      for (const auto& other : models)
        if (other->name == each.name)
          return fail(error_code::invalid_file, {"two models are called ", piece::in_quotes(each.name)});
      auto made = loaded_model::make(each);
      if (!made) return fail(std::move(made.error()));
      models.push_back(std::move(*made));
      names.push_back(models.back()->name.c_str());
    }
    return {};
  }
};

}}}  // namespace nnrt::NNRT_ISA::hb_dnn
