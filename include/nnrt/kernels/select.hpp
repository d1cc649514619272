// select: includes the kernel bindings of all operators.
// Flow: nnrt.hpp and dynamic.hpp include this before any use of kernels::binding<Op>. Operators without a line here run
// their reference.
#pragma once

#include <nnrt/kernels/bind/arg_max.hpp>
#include <nnrt/kernels/bind/batch_norm.hpp>
#include <nnrt/kernels/bind/batch_to_space_nd.hpp>
#include <nnrt/kernels/bind/binary.hpp>
#include <nnrt/kernels/bind/broadcast_to.hpp>
#include <nnrt/kernels/bind/cast.hpp>
#include <nnrt/kernels/bind/choices.hpp>
#include <nnrt/kernels/bind/concat.hpp>
#include <nnrt/kernels/bind/conv2d.hpp>
#include <nnrt/kernels/bind/conv2d_add.hpp>
#include <nnrt/kernels/bind/conv2d_transpose.hpp>
#include <nnrt/kernels/bind/conv2d_transpose_add.hpp>
#include <nnrt/kernels/bind/conv2d_transpose_sums.hpp>
#include <nnrt/kernels/bind/crop.hpp>
#include <nnrt/kernels/bind/depth_to_space.hpp>
#include <nnrt/kernels/bind/depthwise_conv2d.hpp>
#include <nnrt/kernels/bind/detection_post_process.hpp>
#include <nnrt/kernels/bind/dft.hpp>
#include <nnrt/kernels/bind/eltwise.hpp>
#include <nnrt/kernels/bind/fill.hpp>
#include <nnrt/kernels/bind/full_connection.hpp>
#include <nnrt/kernels/bind/gather.hpp>
#include <nnrt/kernels/bind/gather_nd.hpp>
#include <nnrt/kernels/bind/gru.hpp>
#include <nnrt/kernels/bind/half_cast.hpp>
#include <nnrt/kernels/bind/instance_norm.hpp>
#include <nnrt/kernels/bind/l2_normalize.hpp>
#include <nnrt/kernels/bind/layer_norm.hpp>
#include <nnrt/kernels/bind/layer_sums.hpp>
#include <nnrt/kernels/bind/log_softmax.hpp>
#include <nnrt/kernels/bind/logical_not.hpp>
#include <nnrt/kernels/bind/lrn.hpp>
#include <nnrt/kernels/bind/lstm.hpp>
#include <nnrt/kernels/bind/matmul.hpp>
#include <nnrt/kernels/bind/max_pool_indices.hpp>
#include <nnrt/kernels/bind/max_unpool.hpp>
#include <nnrt/kernels/bind/non_max_suppression.hpp>
#include <nnrt/kernels/bind/one_hot.hpp>
#include <nnrt/kernels/bind/pad.hpp>
#include <nnrt/kernels/bind/pools.hpp>
#include <nnrt/kernels/bind/quant_dtype_cast.hpp>
#include <nnrt/kernels/bind/reduce_l2.hpp>
#include <nnrt/kernels/bind/reduce_mean.hpp>
#include <nnrt/kernels/bind/reductions.hpp>
#include <nnrt/kernels/bind/resize_bilinear.hpp>
#include <nnrt/kernels/bind/scale.hpp>
#include <nnrt/kernels/bind/sequence_lstm.hpp>
#include <nnrt/kernels/bind/sequence_rnn.hpp>
#include <nnrt/kernels/bind/slice.hpp>
#include <nnrt/kernels/bind/softmax.hpp>
#include <nnrt/kernels/bind/space_to_batch_nd.hpp>
#include <nnrt/kernels/bind/space_to_depth.hpp>
#include <nnrt/kernels/bind/split.hpp>
#include <nnrt/kernels/bind/stack.hpp>
#include <nnrt/kernels/bind/strided_slice.hpp>
#include <nnrt/kernels/bind/svdf.hpp>
#include <nnrt/kernels/bind/tile.hpp>
#include <nnrt/kernels/bind/top_k.hpp>
#include <nnrt/kernels/bind/transpose.hpp>
#include <nnrt/kernels/bind/unary.hpp>
#include <nnrt/kernels/bind/unique.hpp>
#include <nnrt/kernels/bind/unstack.hpp>
#include <nnrt/ops/of.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Complete from here on: all specialisations of binding are declared.
template <class Op> struct bindings {};

}}}  // namespace nnrt::NNRT_ISA::kernels
