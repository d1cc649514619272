#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Quantise the CNN of examples/digits and write it as a TensorFlow Lite file, or check the file that is there.

The network is the one of train_digits.py. Its weights are quantised as TensorFlow Lite's converter does after training:

  weights       i8, symmetric in -127..127; a scale for each output channel of a convolution, one for the dense layer
  biases        i32, with the scale input scale x weight scale
  activations   i8, one scale and zero point for each tensor, from its smallest and largest value over the training part
  image         i8 [1, 8, 8, 1], of pixel / 16: round(255 x pixel / 16) - 128, halves upward
  probability   i8 [1, 10], scale 1/256, zero point -128

The operators of the file: CONV_2D with relu (conv1, conv2), MAX_POOL_2D, CONV_2D with relu (conv3), MAX_POOL_2D,
RESHAPE, FULLY_CONNECTED (fc), SOFTMAX.

Accuracy and golden outputs are computed from the bytes of the file: the reader below shares no function with the
writer. It computes the network in integers, with the arithmetic of TensorFlow Lite's reference kernels (gemmlowp's
fixed point). Any other implementation of these kernels must give the same bytes. The same weights give the same file.
"""

import argparse
import math
import pathlib
import sys

try:
    import flatbuffers
    import flatbuffers.encode
    import flatbuffers.number_types
    import flatbuffers.packer
    import flatbuffers.table
    import numpy as np
except ImportError as missing:
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__)
    sys.exit(f"make_digits_model: no module {missing.name} in this Python; use Debian's: apt install python3-sklearn "
             "python3-flatbuffers, then /usr/bin/python3 tools/make_digits_model.py")

import train_digits
from train_digits import REPOSITORY, REQUIRED_ACCURACY

MODEL = REPOSITORY / "examples" / "model" / "digits_int8.tflite"
RELU = 1                                                  # ActivationFunctionType
F32, I32, I8 = 0, 2, 9                                    # TensorType
CONV_2D, FULLY_CONNECTED, MAX_POOL_2D, RESHAPE, SOFTMAX = 3, 9, 17, 22, 25   # BuiltinOperator
VERSIONS = {CONV_2D: 3, FULLY_CONNECTED: 4, MAX_POOL_2D: 2, RESHAPE: 1, SOFTMAX: 2}   # the first ones with i8
CONV_OPTIONS, POOL_OPTIONS, DENSE_OPTIONS, SOFTMAX_OPTIONS, RESHAPE_OPTIONS = 1, 5, 8, 9, 17   # BuiltinOptions


def rounded(x):
    """To the nearest integer, halves away from zero."""
    return np.trunc(x + np.copysign(0.5, x)).astype(np.int64)


# --- quantisation ------------------------------------------------------------

class Tensor:
    """A tensor of the file. `scale` has one number, or one for each extent of axis 0; `constant`: None or an array."""

    def __init__(self, name, shape, kind=I8, scale=(), zero_point=0, constant=None):
        self.name, self.shape, self.kind, self.constant = name, shape, kind, constant
        self.scale, self.zero_point = np.float32(scale).reshape(-1), zero_point


def activation(name, shape, values):
    """The tensor of real `values` (any shape): 256 steps from the smallest to the largest; 0 must be one of them."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    scale = np.float32((high - low) / 255)
    return Tensor(name, shape, scale=scale, zero_point=int(rounded(-128 - low / np.float64(scale))))


def quantised_weight(name, weight, is_per_channel):
    """Symmetric: the largest magnitude, of each channel or of all, is 127."""
    magnitude = np.abs(weight.astype(np.float64)).reshape(len(weight) if is_per_channel else 1, -1).max(axis=1)
    scale = np.float32(np.where(magnitude > 0, magnitude, 127) / 127)   # of zeros alone any scale is right
    by_channel = scale.astype(np.float64).reshape(-1, *[1] * (weight.ndim - 1))
    steps = np.clip(rounded(weight / by_channel), -127, 127)
    return Tensor(name, weight.shape, scale=scale, constant=steps.astype("i1"))


def quantised_bias(name, bias, x, weight):
    """The bias in steps of the accumulators: of scale of x * scale of the weight, rounded to float."""
    scale = x.scale * weight.scale
    steps = rounded(bias.astype(np.float64) / scale.astype(np.float64))
    return Tensor(name, bias.shape, I32, scale, constant=steps.astype("<i4"))


def float_activations(parameters, images):
    """What each layer gives for these images, in float64, by name; poolings have their input's range."""
    p = {name: value.astype(np.float64) for name, value in parameters.items()}
    made = {"image": train_digits.scaled(images, np.float64)}
    made["conv1"] = train_digits.convolved(made["image"], p["conv1.weight"], p["conv1.bias"])
    made["conv2"] = train_digits.convolved(made["conv1"], p["conv2.weight"], p["conv2.bias"])
    pooled = train_digits.pooled(made["conv2"])
    made["conv3"] = train_digits.convolved(pooled, p["conv3.weight"], p["conv3.bias"])
    flat = train_digits.pooled(made["conv3"]).reshape(len(images), -1)
    made["fc"] = np.einsum("ni,oi->no", flat, p["fc.weight"]) + p["fc.bias"]
    return made


def quantised_network(parameters, images):
    """The tensors by name, in the file's order, and the operators: (code, inputs, output, options' tag and fields)."""
    values, tensors, operators = float_activations(parameters, images), {}, []

    def add(tensor):
        tensors[tensor.name] = tensor
        return tensor

    def layer(name, x, shape, code, options):
        weight = add(quantised_weight(name + ".weight", parameters[name + ".weight"], code == CONV_2D))
        bias = add(quantised_bias(name + ".bias", parameters[name + ".bias"], x, weight))
        operators.append((code, (x.name, weight.name, bias.name), name, options))
        return add(activation(name, shape, values[name]))

    def convolution(name, x):
        fields = [(0, "Int8", 0), (1, "Int32", 1), (2, "Int32", 1), (3, "Int8", RELU)]   # same, strides, activation
        shape = (*x.shape[:3], len(parameters[name + ".weight"]))
        return layer(name, x, shape, CONV_2D, (CONV_OPTIONS, fields))

    def pool(name, x):
        fields = [(0, "Int8", 1), *[(slot, "Int32", 2) for slot in (1, 2, 3, 4)]]   # valid, strides, window
        operators.append((MAX_POOL_2D, (x.name,), name, (POOL_OPTIONS, fields)))
        return add(Tensor(name, (1, x.shape[1] // 2, x.shape[2] // 2, x.shape[3]), I8, x.scale, x.zero_point))

    x = add(activation("image", (1, 8, 8, 1), values["image"]))
    x = pool("pool2", convolution("conv2", convolution("conv1", x)))
    x = pool("pool3", convolution("conv3", x))
    shape = add(Tensor("flat.shape", (2,), I32, constant=np.array([-1, math.prod(x.shape)], "<i4")))
    operators.append((RESHAPE, (x.name, shape.name), "flat", (RESHAPE_OPTIONS, [(0, "Shape", shape.constant)])))
    x = add(Tensor("flat", (1, math.prod(x.shape)), I8, x.scale, x.zero_point))
    x = layer("fc", x, (1, 10), FULLY_CONNECTED, (DENSE_OPTIONS, []))
    operators.append((SOFTMAX, (x.name,), "probability", (SOFTMAX_OPTIONS, [(0, "Float32", 1.0)])))
    add(Tensor("probability", (1, 10), scale=1 / 256, zero_point=-128))
    return tensors, operators


# --- the file: FlatBuffers by the slots of TensorFlow Lite's schema ---------------

class Writer:
    """Tables and vectors of one FlatBuffer. A table is written after what it refers to."""

    BYTES = {"Int32": 4, "Float32": 4, "Int64": 8, "UOffsetTRelative": 4}

    def __init__(self):
        self.builder = flatbuffers.Builder(1 << 16)

    def table(self, fields):
        """fields: (slot, kind, value); kind "UOffsetTRelative" refers to what these functions returned."""
        self.builder.StartObject(1 + max((slot for slot, _, _ in fields), default=-1))
        for slot, kind, value in fields:
            default = 0 if kind == "UOffsetTRelative" else None   # None: a value is never left out
            getattr(self.builder, f"Prepend{kind}Slot")(slot, value, default)
        return self.builder.EndObject()

    def vector(self, kind, values):
        self.builder.StartVector(self.BYTES[kind], len(values), self.BYTES[kind])
        for value in reversed(values):
            getattr(self.builder, "Prepend" + kind)(value)
        return self.builder.EndVector()

    def tables(self, list_of_fields):
        return self.vector("UOffsetTRelative", [self.table(fields) for fields in list_of_fields])

    def constant(self, content):
        """The bytes of a buffer, at a multiple of 16 as the schema wants it."""
        self.builder.StartVector(1, len(content), 16)
        self.builder.head -= len(content)
        self.builder.Bytes[self.builder.head:self.builder.head + len(content)] = content
        return self.builder.EndVector()

    def text(self, letters):
        return self.builder.CreateString(letters)

    def finish(self, root):
        self.builder.Finish(root, b"TFL3")
        return bytes(self.builder.Output())


def quantization(writer, tensor):
    """Table QuantizationParameters: scales, zero points, and the axis of several scales, which is 0 here."""
    scale = writer.vector("Float32", [float(scale) for scale in tensor.scale])
    zero_point = writer.vector("Int64", [tensor.zero_point] * len(tensor.scale))
    return writer.table([(2, "UOffsetTRelative", scale), (3, "UOffsetTRelative", zero_point), (6, "Int32", 0)])


def tflite_bytes(tensors, operators):
    """The file: one subgraph from "image" to "probability", and a signature with these names."""
    writer, reference = Writer(), "UOffsetTRelative"
    number = {name: index for index, name in enumerate(tensors)}
    codes = sorted(VERSIONS)

    buffers, tensor_tables = [[]], []   # buffer 0 is the empty one
    for tensor in tensors.values():
        buffer = 0
        if tensor.constant is not None:
            buffer = len(buffers)
            buffers.append([(0, reference, writer.constant(tensor.constant.tobytes()))])
        fields = [(0, reference, writer.vector("Int32", tensor.shape)), (1, "Int8", tensor.kind), (2, "Uint32", buffer),
                  (3, reference, writer.text(tensor.name)), (8, "Bool", True)]
        if len(tensor.scale):
            fields.append((4, reference, quantization(writer, tensor)))
        tensor_tables.append(fields)

    operator_tables = []
    for code, inputs, output, (tag, options) in operators:
        options = [(slot, reference, writer.vector("Int32", [int(extent) for extent in value])) if kind == "Shape"
                   else (slot, kind, value) for slot, kind, value in options]
        operator_tables.append([
            (0, "Uint32", codes.index(code)), (1, reference, writer.vector("Int32", [number[name] for name in inputs])),
            (2, reference, writer.vector("Int32", [number[output]])),
            (3, "Uint8", tag), (4, reference, writer.table(options))])

    def tensor_map(name):
        return [(0, reference, writer.text(name)), (1, "Uint32", number[name])]

    subgraph = [(0, reference, writer.tables(tensor_tables)), (1, reference, writer.vector("Int32", [number["image"]])),
                (2, reference, writer.vector("Int32", [number["probability"]])),
                (3, reference, writer.tables(operator_tables)), (4, reference, writer.text("main"))]
    signature = [(0, reference, writer.tables([tensor_map("image")])),
                 (1, reference, writer.tables([tensor_map("probability")])),
                 (2, reference, writer.text("serving_default")), (4, "Uint32", 0)]
    return writer.finish(writer.table([
        (0, "Uint32", 3),
        (1, reference, writer.tables([[(0, "Int8", code), (2, "Int32", VERSIONS[code]), (3, "Int32", code)]
                                      for code in codes])),
        (2, reference, writer.tables([subgraph])),
        (3, reference, writer.text("handwritten digits, i8, by nnrt's tools/make_digits_model.py; Apache-2.0")),
        (4, reference, writer.tables(buffers)),
        (7, reference, writer.tables([signature]))]))


# --- the reader: what the bytes say ------------------------------------------------

class Record:
    """A table of a FlatBuffer, read by slots."""

    def __init__(self, content, position):
        self.table = flatbuffers.table.Table(content, position)

    def number(self, slot, kind, default=0):
        return self.table.GetSlot(4 + 2 * slot, default, getattr(flatbuffers.number_types, kind + "Flags"))

    def position(self, slot):
        """Where the reference in this slot stands, from the table's start; 0 where there is none."""
        return self.table.Offset(4 + 2 * slot)

    def numbers(self, slot, dtype):
        """The vector of numbers in a slot; empty where there is none."""
        at = self.position(slot)
        if not at:
            return np.zeros(0, dtype)
        return np.frombuffer(self.table.Bytes, dtype, self.table.VectorLen(at), self.table.Vector(at))

    def text(self, slot):
        return self.table.String(self.table.Pos + self.position(slot)).decode()

    def record(self, slot):
        return Record(self.table.Bytes, self.table.Indirect(self.table.Pos + self.position(slot)))

    def records(self, slot):
        at = self.position(slot)
        first, length = (self.table.Vector(at), self.table.VectorLen(at)) if at else (0, 0)
        return [Record(self.table.Bytes, self.table.Indirect(first + 4 * i)) for i in range(length)]


class StoredTensor:
    """A tensor as the file describes it: shape, scales, zero point; `values` where it is a constant."""

    def __init__(self, record, buffers):
        self.name, self.shape = record.text(3), tuple(record.numbers(0, "<i4"))
        stored = record.record(4) if record.position(4) else None
        self.scale = stored.numbers(2, "<f4").astype(np.float64) if stored else np.ones(1)
        self.zero_point = int(stored.numbers(3, "<i8")[0]) if stored else 0
        content = buffers[record.number(2, "Uint32")].numbers(0, "u1")
        dtype = {I8: "i1", I32: "<i4"}[record.number(1, "Int8")]
        self.values = content.view(dtype).astype(np.int64).reshape(self.shape) if len(content) else None


def outputs_of(content, images):
    """i8 [N, 10] for pixels [N, 8, 8, 1] in 0..16: every operator of the file, in integers."""
    if content[4:8] != b"TFL3":
        raise ValueError("no TFL3 at byte 4")
    model = Record(content, flatbuffers.encode.Get(flatbuffers.packer.uoffset, content, 0))
    codes, graph = [code.number(3, "Int32") for code in model.records(1)], model.records(2)[0]
    tensors = [StoredTensor(record, model.records(4)) for record in graph.records(0)]
    image, probability = tensors[graph.numbers(1, "<i4")[0]], tensors[graph.numbers(2, "<i4")[0]]
    values = {image.name: (255 * images.astype(np.int64) + 8) // 16 - 128}
    for record in graph.records(3):
        inputs = [tensors[index] for index in record.numbers(1, "<i4")]
        y = tensors[record.numbers(2, "<i4")[0]]
        x = values[inputs[0].name]
        values[y.name] = COMPUTE[codes[record.number(0, "Uint32")]](x, inputs, y, record.record(4))
    return values[probability.name].astype("i1")


# --- the arithmetic of the reference kernels --------------------------------------

def high_product(a, b):
    """SaturatingRoundingDoublingHighMul: a * b / 2^31, to nearest, ties away from zero, of numbers of 32 bits."""
    product = np.asarray(a, np.int64) * np.asarray(b, np.int64)
    nudged = product + np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    return np.minimum(np.where(nudged >= 0, nudged >> 31, -(-nudged >> 31)), (1 << 31) - 1)


def rounding_shift(x, exponent):
    """RoundingDivideByPOT: x / 2^exponent, to nearest, ties away from zero."""
    mask = (np.int64(1) << exponent) - 1
    return (x >> exponent) + ((x & mask) > (mask >> 1) + (x < 0))


def multiplier_of(real):
    """A positive factor as (31 bits of fraction, exponent): fraction * 2^(exponent - 31)."""
    fraction, exponent = math.frexp(real)
    fixed = math.floor(fraction * 2 ** 31 + 0.5)
    if fixed == 1 << 31:
        fixed, exponent = fixed // 2, exponent + 1
    return (fixed, exponent) if exponent >= -31 else (0, 0)


def scaled_sums(sums, factors):
    """Sums of 32 bits times the factor of their channel, which is the last axis."""
    fixed, exponent = np.array([multiplier_of(float(factor)) for factor in factors], np.int64).T
    assert np.abs(sums).max() < 1 << 31
    return rounding_shift(high_product(sums << np.maximum(exponent, 0), fixed), np.maximum(-exponent, 0))


def activated(sums, factors, y, activation):
    lowest = y.zero_point if activation == RELU else -128
    return np.clip(y.zero_point + scaled_sums(sums, factors), lowest, 127)


def conv_2d(x, inputs, y, options):
    """Same padding, strides of 1. Padding has the value of the zero point."""
    from_x, weight, bias = inputs
    assert (options.number(0, "Int8"), options.number(1, "Int32"), options.number(2, "Int32")) == (0, 1, 1)
    _, kh, kw, _ = weight.shape
    padded = np.pad(x - from_x.zero_point, ((0, 0), (kh // 2, kh // 2), (kw // 2, kw // 2), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kh, kw), axis=(1, 2))
    sums = np.einsum("nhwcij,oijc->nhwo", windows, weight.values) + bias.values
    return activated(sums, from_x.scale * weight.scale / y.scale, y, options.number(3, "Int8"))


def fully_connected(x, inputs, y, options):
    """The scale of products is rounded to float where a layer has one for all channels, as the reference does."""
    from_x, weight, bias = inputs
    sums = np.einsum("ni,oi->no", x - from_x.zero_point, weight.values) + bias.values
    product = np.float64(np.float32(from_x.scale * weight.scale))
    return activated(sums, np.broadcast_to(product / y.scale, len(bias.values)), y, options.number(0, "Int8"))


def max_pool_2d(x, inputs, y, options):
    """Strides as large as the window; windows cover the input."""
    window = options.number(4, "Int32"), options.number(3, "Int32")
    assert window == (options.number(2, "Int32"), options.number(1, "Int32"))
    n, h, w, c = x.shape
    return x.reshape(n, h // window[0], window[0], w // window[1], window[1], c).max(axis=(2, 4))


def reshape(x, inputs, y, options):
    return x.reshape(len(x), *y.shape[1:])


LARGEST = (1 << 31) - 1        # the fixed-point 1 of 31 bits of fraction


def shifted_left(x, bits):
    return np.clip(x << bits, -LARGEST - 1, LARGEST)


def exp_of(x):
    """exp of numbers <= 0: 26 bits of fraction in, 31 bits out. gemmlowp's exp_on_negative_values."""
    quarter = 1 << 24
    part = (x & (quarter - 1)) - quarter   # -1/4 <= part < 0
    rest = part - x
    a = shifted_left(part, 5) + (1 << 28)   # around -1/8, where the polynomial of 4th degree is developed
    a2 = high_product(a, a)
    a3, a4 = high_product(a2, a), high_product(a2, a2)
    third, start = 715827883, 1895147668   # 1/3, exp(-1/8)
    tail = rounding_shift(high_product(rounding_shift(a4, 2) + a3, third) + a2, 1)
    y = start + high_product(start, a + tail)
    for exponent in range(-2, 5):
        factor = math.floor(math.exp(-2.0 ** exponent) * 2 ** 31 + 0.5)
        y = np.where(rest & (1 << (26 + exponent)), high_product(y, factor), y)
    return np.where(x == 0, LARGEST, y)


def reciprocal_of(a):
    """1 / (1 + a), 0 <= a < 1, 31 bits of fraction. gemmlowp's one_over_one_plus_x_for_x_in_0_1: three Newton steps."""
    half = (a + LARGEST + 1) >> 1   # of the denominator
    x = 1515870810 + high_product(half, -1010580540)   # 48/17 - 32/17 * half
    for _ in range(3):
        error = (1 << 29) - high_product(half, x)
        x = x + shifted_left(high_product(x, error), 2)
    return shifted_left(x, 1)


def softmax(x, inputs, y, options):
    """exp of differences from the largest (5 integer bits) over their sum (12 integer bits)."""
    (from_x,) = inputs
    factor = min(options.number(0, "Float32") * float(from_x.scale[0]) * 2.0 ** 26, 2.0 ** 31 - 1)
    fixed, left = multiplier_of(factor)
    smallest = -math.floor(31 * 2 ** 26 / 2 ** left)
    difference = x - x.max(axis=-1, keepdims=True)
    is_counted = difference >= smallest
    power = exp_of(high_product(np.where(is_counted, difference, 0) << left, fixed))
    sums = np.where(is_counted, rounding_shift(power, 12), 0).sum(axis=-1, keepdims=True)
    headroom = 32 - np.array([[int(total).bit_length()] for total in sums[:, 0]])
    share = high_product(reciprocal_of((sums << headroom) - (1 << 31)), power)
    bits = 12 - headroom + 31 - 8
    return np.where(is_counted, np.clip(rounding_shift(share, bits) - 128, -128, 127), -128)


COMPUTE = {CONV_2D: conv_2d, FULLY_CONNECTED: fully_connected, MAX_POOL_2D: max_pool_2d, RESHAPE: reshape,
           SOFTMAX: softmax}


# --- the command -------------------------------------------------------------------

def held_out_part(options):
    """Images and labels that took no part in training, and hence none in calibration."""
    tensors, _ = train_digits.read_safetensors(options.directory / "held_out.safetensors")
    return tensors["images"], tensors["labels"]


def report(output, labels):
    """Prints the accuracy and the first mistakes; returns whether it is enough."""
    probability = (output.astype(np.int64) + 128) / 256
    correct = train_digits.report(probability, labels, "held-out part, integers")
    if correct < REQUIRED_ACCURACY * len(labels):
        print(f"make_digits_model: less than {100 * REQUIRED_ACCURACY:.0f} %", file=sys.stderr)
        return False
    return True


def check(options):
    """The accuracy of the file that is there; with --golden also its outputs as a file."""
    images, labels = held_out_part(options)
    output = outputs_of(options.model.read_bytes(), images)
    is_enough = report(output, labels)
    if is_enough and options.golden:
        train_digits.write_safetensors(options.golden, {"probability": output}, {
            "command": "tools/make_digits_model.py --golden",
            "license": "Apache-2.0",
            "meaning": "output of examples/model/digits_int8.tflite, computed in integers, "
                       "for each image of examples/digits/held_out.safetensors",
        })
    return is_enough


def make(options):
    """Calibrates on the training part, and writes the file if the accuracy of its bytes suffices."""
    parameters, _ = train_digits.read_safetensors(options.directory / "digits.safetensors")
    images, labels = train_digits.load_images()
    training = np.concatenate([train_digits.fold(labels, which) for which in range(1, train_digits.FOLDS)])
    content = tflite_bytes(*quantised_network(parameters, images[training]))
    held_out = held_out_part(options)
    if not report(outputs_of(content, held_out[0]), held_out[1]):
        return False
    options.model.parent.mkdir(parents=True, exist_ok=True)
    options.model.write_bytes(content)
    print(f"wrote {options.model} ({len(content)} bytes)")
    return True


def arguments():
    description, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="make_digits_model.py", description=description, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true",
                      help="write nothing: print the held-out accuracy of the file MODEL, computed in integers")
    mode.add_argument("--golden", metavar="OUT", type=pathlib.Path,
                      help="like --check, and write the outputs to OUT: \"probability\" I8 [360, 10]")
    parser.add_argument("--model", type=pathlib.Path, default=MODEL,
                        help="the file that is written or read (default: examples/model/digits_int8.tflite)")
    parser.add_argument("--directory", type=pathlib.Path, default=train_digits.DIRECTORY,
                        help="where digits.safetensors and held_out.safetensors are (default: examples/digits)")
    return parser.parse_args()


def main():
    options = arguments()
    try:
        return check(options) if options.check or options.golden else make(options)
    except OSError as problem:
        sys.exit(f"make_digits_model: {problem}")


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
