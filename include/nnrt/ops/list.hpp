// list: every operator, once, in the order of the NNRt numbers.
// Flow: nnrt.hpp includes it for the DSL functions; ops/registry.hpp makes the table for dynamic graphs from it.
#pragma once

#include <nnrt/ops/abs.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/all.hpp>
#include <nnrt/ops/arg_max.hpp>
#include <nnrt/ops/assert.hpp>
#include <nnrt/ops/atan2.hpp>
#include <nnrt/ops/avg_pool.hpp>
#include <nnrt/ops/batch_norm.hpp>
#include <nnrt/ops/batch_to_space_nd.hpp>
#include <nnrt/ops/bias_add.hpp>
#include <nnrt/ops/broadcast_to.hpp>
#include <nnrt/ops/cast.hpp>
#include <nnrt/ops/ceil.hpp>
#include <nnrt/ops/clip.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/constant_of_shape.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/conv2d_add.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>
#include <nnrt/ops/conv2d_transpose_add.hpp>
#include <nnrt/ops/conv2d_transpose_sums.hpp>
#include <nnrt/ops/cos.hpp>
#include <nnrt/ops/crop.hpp>
#include <nnrt/ops/depth_to_space.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/ops/detection_post_process.hpp>
#include <nnrt/ops/dft.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/dynamic_range.hpp>
#include <nnrt/ops/eltwise.hpp>
#include <nnrt/ops/equal.hpp>
#include <nnrt/ops/erf.hpp>
#include <nnrt/ops/exp.hpp>
#include <nnrt/ops/expand_dims.hpp>
#include <nnrt/ops/fill.hpp>
#include <nnrt/ops/fixed_signal.hpp>
#include <nnrt/ops/flatten.hpp>
#include <nnrt/ops/floor.hpp>
#include <nnrt/ops/fold_affine.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/gather_nd.hpp>
#include <nnrt/ops/gelu.hpp>
#include <nnrt/ops/greater.hpp>
#include <nnrt/ops/greater_equal.hpp>
#include <nnrt/ops/gru.hpp>
#include <nnrt/ops/half_cast.hpp>
#include <nnrt/ops/hard_sigmoid.hpp>
#include <nnrt/ops/hswish.hpp>
#include <nnrt/ops/instance_norm.hpp>
#include <nnrt/ops/l2_normalize.hpp>
#include <nnrt/ops/layer_norm.hpp>
#include <nnrt/ops/layer_sums.hpp>
#include <nnrt/ops/leaky_relu.hpp>
#include <nnrt/ops/less.hpp>
#include <nnrt/ops/less_equal.hpp>
#include <nnrt/ops/log.hpp>
#include <nnrt/ops/log_softmax.hpp>
#include <nnrt/ops/logical_and.hpp>
#include <nnrt/ops/logical_not.hpp>
#include <nnrt/ops/logical_or.hpp>
#include <nnrt/ops/lrn.hpp>
#include <nnrt/ops/lstm.hpp>
#include <nnrt/ops/lstm_cell.hpp>
#include <nnrt/ops/matmul.hpp>
#include <nnrt/ops/max_pool.hpp>
#include <nnrt/ops/max_pool_indices.hpp>
#include <nnrt/ops/max_unpool.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/minimum.hpp>
#include <nnrt/ops/mod.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/neg.hpp>
#include <nnrt/ops/non_max_suppression.hpp>
#include <nnrt/ops/nonzero.hpp>
#include <nnrt/ops/not_equal.hpp>
#include <nnrt/ops/one_hot.hpp>
#include <nnrt/ops/pad.hpp>
#include <nnrt/ops/pow.hpp>
#include <nnrt/ops/prelu.hpp>
#include <nnrt/ops/quant_dtype_cast.hpp>
#include <nnrt/ops/range.hpp>
#include <nnrt/ops/rank.hpp>
#include <nnrt/ops/reciprocal.hpp>
#include <nnrt/ops/reduce_all.hpp>
#include <nnrt/ops/reduce_l2.hpp>
#include <nnrt/ops/reduce_max.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/reduce_min.hpp>
#include <nnrt/ops/reduce_prod.hpp>
#include <nnrt/ops/reduce_sum.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/relu6.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/resize_bilinear.hpp>
#include <nnrt/ops/round.hpp>
#include <nnrt/ops/rsqrt.hpp>
#include <nnrt/ops/scale.hpp>
#include <nnrt/ops/scatter_nd.hpp>
#include <nnrt/ops/select.hpp>
#include <nnrt/ops/sequence_lstm.hpp>
#include <nnrt/ops/sequence_rnn.hpp>
#include <nnrt/ops/shape_of.hpp>
#include <nnrt/ops/sigmoid.hpp>
#include <nnrt/ops/sin.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/ops/space_to_batch_nd.hpp>
#include <nnrt/ops/space_to_depth.hpp>
#include <nnrt/ops/sparse_to_dense.hpp>
#include <nnrt/ops/split.hpp>
#include <nnrt/ops/sqrt.hpp>
#include <nnrt/ops/square.hpp>
#include <nnrt/ops/squared_difference.hpp>
#include <nnrt/ops/squeeze.hpp>
#include <nnrt/ops/stack.hpp>
#include <nnrt/ops/strided_slice.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/svdf.hpp>
#include <nnrt/ops/swish.hpp>
#include <nnrt/ops/tanh.hpp>
#include <nnrt/ops/tile.hpp>
#include <nnrt/ops/top_k.hpp>
#include <nnrt/ops/transpose.hpp>
#include <nnrt/ops/unique.hpp>
#include <nnrt/ops/unsqueeze.hpp>
#include <nnrt/ops/unstack.hpp>
#include <nnrt/ops/where.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// A list of types; naming it instantiates none of them.
template <class... Ops> struct type_list {
  static constexpr int count = static_cast<int>(sizeof...(Ops));
};

/// The operators in ascending order of their numbers: NNRt's first, this library's (from 1000) last.
using list = type_list<      //
    add,                     //   1
    avg_pool,                //   2
    batch_norm,              //   3
    batch_to_space_nd,       //   4
    bias_add,                //   5
    cast,                    //   6
    concat,                  //   7
    conv2d,                  //   8
    conv2d_transpose,        //   9
    depthwise_conv2d,        //  10
    div,                     //  11
    eltwise,                 //  12
    expand_dims,             //  13
    fill,                    //  14
    full_connection,         //  15
    gather,                  //  16
    hswish,                  //  17
    less_equal,              //  18
    matmul,                  //  19
    maximum,                 //  20
    max_pool,                //  21
    mul,                     //  22
    one_hot,                 //  23
    pad,                     //  24
    pow,                     //  25
    scale,                   //  26
    shape_of,                //  27
    sigmoid,                 //  28
    slice,                   //  29
    softmax,                 //  30
    space_to_batch_nd,       //  31
    split,                   //  32
    sqrt,                    //  33
    squared_difference,      //  34
    squeeze,                 //  35
    stack,                   //  36
    strided_slice,           //  37
    sub,                     //  38
    tanh,                    //  39
    tile,                    //  40
    transpose,               //  41
    reduce_mean,             //  42
    resize_bilinear,         //  43
    rsqrt,                   //  44
    reshape,                 //  45
    prelu,                   //  46
    relu,                    //  47
    relu6,                   //  48
    layer_norm,              //  49
    reduce_prod,             //  50
    reduce_all,              //  51
    quant_dtype_cast,        //  52
    top_k,                   //  53
    arg_max,                 //  54
    unsqueeze,               //  55
    gelu,                    //  56
    unstack,                 //  57
    abs,                     //  58
    erf,                     //  59
    exp,                     //  60
    less,                    //  61
    select,                  //  62
    square,                  //  63
    flatten,                 //  64
    depth_to_space,          //  65
    range,                   //  66
    instance_norm,           //  67
    constant_of_shape,       //  68
    broadcast_to,            //  69
    equal,                   //  70
    greater,                 //  71
    not_equal,               //  72
    greater_equal,           //  73
    leaky_relu,              //  74
    lstm,                    //  75
    clip,                    //  76
    all,                     //  77
    assert,                  //  78
    cos,                     //  79
    log,                     //  80
    logical_and,             //  81
    logical_not,             //  82
    mod,                     //  83
    neg,                     //  84
    reciprocal,              //  85
    sin,                     //  86
    where,                   //  87
    sparse_to_dense,         //  88
    logical_or,              //  89
    ceil,                    //  90
    crop,                    //  91
    detection_post_process,  //  92
    floor,                   //  93
    l2_normalize,            //  94
    log_softmax,             //  95
    lrn,                     //  96
    minimum,                 //  97
    rank,                    //  98
    reduce_max,              //  99
    reduce_min,              // 100
    reduce_sum,              // 101
    round,                   // 102
    scatter_nd,              // 103
    space_to_depth,          // 104
    swish,                   // 105
    reduce_l2,               // 106
    hard_sigmoid,            // 107
    gather_nd,               // 108
    fold_affine,             // 1000
    dynamic_range,           // 1001
    conv2d_add,              // 1002
    layer_sums,              // 1003
    conv2d_transpose_add,    // 1004
    conv2d_transpose_sums,   // 1005
    half_cast,               // 1006
    sequence_lstm,           // 1007
    sequence_rnn,            // 1008
    svdf,                    // 1009
    gru,                     // 1010
    atan2,                   // 1020
    non_max_suppression,     // 1021
    nonzero,                 // 1022
    unique,                  // 1023
    lstm_cell,               // 1030
    max_pool_indices,        // 1040
    max_unpool,              // 1041
    dft,                     // 1042
    fixed_signal>;           // 1043

}}}  // namespace nnrt::NNRT_ISA::ops
