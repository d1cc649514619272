// select: every fast kernel that an operator can be bound to.
// Flow: nnrt.hpp and dynamic.hpp include this before anything asks kernels::fast<Op>; operators without a line here run
// their reference.
#pragma once

#include <nnrt/kernels/bind/abs.hpp>
#include <nnrt/kernels/bind/add.hpp>
#include <nnrt/kernels/bind/all.hpp>
#include <nnrt/kernels/bind/arg_max.hpp>
#include <nnrt/kernels/bind/avg_pool.hpp>
#include <nnrt/kernels/bind/batch_norm.hpp>
#include <nnrt/kernels/bind/batch_to_space_nd.hpp>
#include <nnrt/kernels/bind/bias_add.hpp>
#include <nnrt/kernels/bind/broadcast_to.hpp>
#include <nnrt/kernels/bind/cast.hpp>
#include <nnrt/kernels/bind/ceil.hpp>
#include <nnrt/kernels/bind/clip.hpp>
#include <nnrt/kernels/bind/concat.hpp>
#include <nnrt/kernels/bind/conv2d.hpp>
#include <nnrt/kernels/bind/conv2d_add.hpp>
#include <nnrt/kernels/bind/conv2d_transpose.hpp>
#include <nnrt/kernels/bind/conv2d_transpose_add.hpp>
#include <nnrt/kernels/bind/conv2d_transpose_sums.hpp>
#include <nnrt/kernels/bind/cos.hpp>
#include <nnrt/kernels/bind/crop.hpp>
#include <nnrt/kernels/bind/depth_to_space.hpp>
#include <nnrt/kernels/bind/depthwise_conv2d.hpp>
#include <nnrt/kernels/bind/detection_post_process.hpp>
#include <nnrt/kernels/bind/div.hpp>
#include <nnrt/kernels/bind/eltwise.hpp>
#include <nnrt/kernels/bind/equal.hpp>
#include <nnrt/kernels/bind/erf.hpp>
#include <nnrt/kernels/bind/exp.hpp>
#include <nnrt/kernels/bind/fill.hpp>
#include <nnrt/kernels/bind/floor.hpp>
#include <nnrt/kernels/bind/full_connection.hpp>
#include <nnrt/kernels/bind/gather.hpp>
#include <nnrt/kernels/bind/gather_nd.hpp>
#include <nnrt/kernels/bind/gelu.hpp>
#include <nnrt/kernels/bind/greater.hpp>
#include <nnrt/kernels/bind/greater_equal.hpp>
#include <nnrt/kernels/bind/half_cast.hpp>
#include <nnrt/kernels/bind/hard_sigmoid.hpp>
#include <nnrt/kernels/bind/hswish.hpp>
#include <nnrt/kernels/bind/instance_norm.hpp>
#include <nnrt/kernels/bind/l2_normalize.hpp>
#include <nnrt/kernels/bind/layer_norm.hpp>
#include <nnrt/kernels/bind/layer_sums.hpp>
#include <nnrt/kernels/bind/leaky_relu.hpp>
#include <nnrt/kernels/bind/less.hpp>
#include <nnrt/kernels/bind/less_equal.hpp>
#include <nnrt/kernels/bind/log.hpp>
#include <nnrt/kernels/bind/log_softmax.hpp>
#include <nnrt/kernels/bind/logical_and.hpp>
#include <nnrt/kernels/bind/logical_not.hpp>
#include <nnrt/kernels/bind/logical_or.hpp>
#include <nnrt/kernels/bind/lrn.hpp>
#include <nnrt/kernels/bind/lstm.hpp>
#include <nnrt/kernels/bind/matmul.hpp>
#include <nnrt/kernels/bind/max_pool.hpp>
#include <nnrt/kernels/bind/maximum.hpp>
#include <nnrt/kernels/bind/minimum.hpp>
#include <nnrt/kernels/bind/mod.hpp>
#include <nnrt/kernels/bind/mul.hpp>
#include <nnrt/kernels/bind/neg.hpp>
#include <nnrt/kernels/bind/not_equal.hpp>
#include <nnrt/kernels/bind/one_hot.hpp>
#include <nnrt/kernels/bind/pad.hpp>
#include <nnrt/kernels/bind/pow.hpp>
#include <nnrt/kernels/bind/prelu.hpp>
#include <nnrt/kernels/bind/quant_dtype_cast.hpp>
#include <nnrt/kernels/bind/reciprocal.hpp>
#include <nnrt/kernels/bind/reduce_all.hpp>
#include <nnrt/kernels/bind/reduce_l2.hpp>
#include <nnrt/kernels/bind/reduce_max.hpp>
#include <nnrt/kernels/bind/reduce_mean.hpp>
#include <nnrt/kernels/bind/reduce_min.hpp>
#include <nnrt/kernels/bind/reduce_prod.hpp>
#include <nnrt/kernels/bind/reduce_sum.hpp>
#include <nnrt/kernels/bind/relu.hpp>
#include <nnrt/kernels/bind/relu6.hpp>
#include <nnrt/kernels/bind/resize_bilinear.hpp>
#include <nnrt/kernels/bind/round.hpp>
#include <nnrt/kernels/bind/rsqrt.hpp>
#include <nnrt/kernels/bind/scale.hpp>
#include <nnrt/kernels/bind/select.hpp>
#include <nnrt/kernels/bind/sequence_lstm.hpp>
#include <nnrt/kernels/bind/sequence_rnn.hpp>
#include <nnrt/kernels/bind/sigmoid.hpp>
#include <nnrt/kernels/bind/sin.hpp>
#include <nnrt/kernels/bind/slice.hpp>
#include <nnrt/kernels/bind/softmax.hpp>
#include <nnrt/kernels/bind/space_to_batch_nd.hpp>
#include <nnrt/kernels/bind/space_to_depth.hpp>
#include <nnrt/kernels/bind/split.hpp>
#include <nnrt/kernels/bind/sqrt.hpp>
#include <nnrt/kernels/bind/square.hpp>
#include <nnrt/kernels/bind/squared_difference.hpp>
#include <nnrt/kernels/bind/stack.hpp>
#include <nnrt/kernels/bind/strided_slice.hpp>
#include <nnrt/kernels/bind/sub.hpp>
#include <nnrt/kernels/bind/svdf.hpp>
#include <nnrt/kernels/bind/swish.hpp>
#include <nnrt/kernels/bind/tanh.hpp>
#include <nnrt/kernels/bind/tile.hpp>
#include <nnrt/kernels/bind/top_k.hpp>
#include <nnrt/kernels/bind/transpose.hpp>
#include <nnrt/kernels/bind/unstack.hpp>
#include <nnrt/kernels/bind/where.hpp>
#include <nnrt/ops/of.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

/// Every specialisation of fast is known from here on.
template <class Op> struct bindings {};

}  // namespace nnrt::inline NNRT_ISA::kernels
