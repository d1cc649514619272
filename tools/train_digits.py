#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Train the small CNN of examples/digits, or check the weights that are there.

The network, in NNRt's order (NHWC; convolution weights [out, kh, kw, in]; full_connection weights [out, in]):

  image [1, 8, 8, 1]                      pixel / 16, so 0..1
  conv2d 16 x 3x3 same, relu              conv1.weight [16, 3, 3, 1]    conv1.bias [16]    -> [1, 8, 8, 16]
  conv2d 32 x 3x3 same, relu              conv2.weight [32, 3, 3, 16]   conv2.bias [32]    -> [1, 8, 8, 32]
  max_pool 2x2, stride 2                                                                   -> [1, 4, 4, 32]
  conv2d 32 x 3x3 same, relu              conv3.weight [32, 3, 3, 32]   conv3.bias [32]    -> [1, 4, 4, 32]
  max_pool 2x2, stride 2                                                                   -> [1, 2, 2, 32]
  flatten (H, W, C), full_connection 10   fc.weight [10, 128]           fc.bias [10]       -> [1, 10]
  softmax over the last axis              "probability"

Training writes DIRECTORY/digits.safetensors (the weights) and DIRECTORY/held_out.safetensors (images and labels that
training never saw). --check and --golden read both files and compute the network again in float64, with code that
shares no layer with the training: what they say is what any other implementation should agree with. Everything is
deterministic: with one BLAS library the same options give the same bytes.
"""

import argparse
import json
import math
import pathlib
import struct
import sys

try:
    import numpy as np
except ImportError:
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__)
    sys.exit("train_digits: no module numpy in this Python; use Debian's: apt install python3-sklearn, then "
             "/usr/bin/python3 tools/train_digits.py")

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
DIRECTORY = REPOSITORY / "examples" / "digits"
PIXEL_MAXIMUM = 16          # the data set counts the set pixels of 4x4 blocks
REQUIRED_ACCURACY = 0.97    # below this nothing is written
FOLDS = 5                   # one is held out, one may serve to choose settings
CONVOLUTIONS = {"conv1": (16, 3, 3, 1), "conv2": (32, 3, 3, 16), "conv3": (32, 3, 3, 32)}
FULL_CONNECTION = (10, 128)
DATA_LICENSE = ("Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, 1998, UCI Machine Learning "
                "Repository, https://doi.org/10.24432/C50P49, CC BY 4.0")


# --- safetensors -------------------------------------------------------------

DTYPES = {"F32": np.dtype("<f4"), "F64": np.dtype("<f8"), "I8": np.dtype("i1"), "U8": np.dtype("u1")}


def write_safetensors(path, tensors, metadata):
    """Writes tensors by name, in order of their names; the header's padding puts the first one at a multiple of 64."""
    header, offset = {"__metadata__": metadata}, 0
    names = sorted(tensors)
    for name in names:
        tensor = tensors[name]
        dtype = next(key for key, value in DTYPES.items() if value == tensor.dtype)
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [offset, offset + tensor.nbytes]}
        offset += tensor.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % 64)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(tensors[name].tobytes() for name in names))
    print(f"wrote {path} ({path.stat().st_size} bytes)")


def read_safetensors(path):
    """Returns {name: array} of a file that write_safetensors made, and its metadata."""
    content = path.read_bytes()
    (header_bytes,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + header_bytes])
    metadata = header.pop("__metadata__", {})
    body = content[8 + header_bytes:]
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(body[begin:end], DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors, metadata


# --- the data set ------------------------------------------------------------

def load_images():
    """All 1,797 digits: pixels uint8 [1797, 8, 8, 1] in 0..16, labels uint8 [1797]."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        sys.exit("train_digits: no module sklearn in this Python; use Debian's: apt install python3-sklearn, then "
                 "/usr/bin/python3 tools/train_digits.py")
    digits = load_digits()
    return digits.images.astype(np.uint8)[..., np.newaxis], digits.target.astype(np.uint8)


def fold(labels, which):
    """Indices, ascending, of every fifth digit of each class (`which`: 0..4); the five folds cover all digits once.

    By class, because the forms were filled in as 0 1 2 ... 9: every fifth digit of the whole would favour some classes.
    """
    by_class = np.argsort(labels, kind="stable")
    return np.sort(by_class[which::FOLDS])


# --- training: float32, convolutions by im2col ---------------------------------

def columns_of(x):
    """[N, H, W, C] -> [N*H*W, 9*C]: the 3x3 neighbourhood of each pixel, zero outside, in kernel order (kh, kw, C)."""
    n, h, w, c = x.shape
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    return windows.transpose(0, 1, 2, 4, 5, 3).reshape(n * h * w, 9 * c)


def image_of(columns, shape):
    """The transpose of columns_of: adds each neighbourhood back to where it came from."""
    n, h, w, c = shape
    columns = columns.reshape(n, h, w, 3, 3, c)
    padded = np.zeros((n, h + 2, w + 2, c), columns.dtype)
    for i in range(3):
        for j in range(3):
            padded[:, i:i + h, j:j + w] += columns[:, :, :, i, j]
    return padded[:, 1:-1, 1:-1]


class Convolution:
    """3x3 same convolution and relu, with what its backward pass needs."""

    def __init__(self, name):
        self.weight, self.bias = name + ".weight", name + ".bias"

    def forward(self, x, parameters):
        self.shape, self.columns = x.shape, columns_of(x)
        kernel = parameters[self.weight]
        y = self.columns @ kernel.reshape(len(kernel), -1).T + parameters[self.bias]
        self.active = y > 0
        return (y * self.active).reshape(*x.shape[:3], len(kernel))

    def backward(self, gradient, parameters, gradients):
        kernel = parameters[self.weight]
        gradient = gradient.reshape(self.active.shape) * self.active
        gradients[self.weight] = (gradient.T @ self.columns).reshape(kernel.shape)
        gradients[self.bias] = gradient.sum(axis=0)
        return image_of(gradient @ kernel.reshape(len(kernel), -1), self.shape)


class MaxPool:
    """2x2 windows, stride 2; of equal pixels the first gets the gradient."""

    def forward(self, x, parameters):
        n, h, w, c = x.shape
        windows = x.reshape(n, h // 2, 2, w // 2, 2, c).transpose(0, 1, 3, 5, 2, 4).reshape(n, h // 2, w // 2, c, 4)
        self.shape, self.winner = x.shape, windows.argmax(axis=-1)[..., np.newaxis]
        return np.take_along_axis(windows, self.winner, axis=-1)[..., 0]

    def backward(self, gradient, parameters, gradients):
        n, h, w, c = self.shape
        windows = np.zeros((n, h // 2, w // 2, c, 4), gradient.dtype)
        np.put_along_axis(windows, self.winner, gradient[..., np.newaxis], axis=-1)
        return windows.reshape(n, h // 2, w // 2, c, 2, 2).transpose(0, 1, 4, 2, 5, 3).reshape(self.shape)


class FullConnection:
    """Flattens (H, W, C), then x * weight^T + bias."""

    def forward(self, x, parameters):
        self.shape, self.x = x.shape, x.reshape(len(x), -1)
        return self.x @ parameters["fc.weight"].T + parameters["fc.bias"]

    def backward(self, gradient, parameters, gradients):
        gradients["fc.weight"] = gradient.T @ self.x
        gradients["fc.bias"] = gradient.sum(axis=0)
        return (gradient @ parameters["fc.weight"]).reshape(self.shape)


def make_layers():
    return [Convolution("conv1"), Convolution("conv2"), MaxPool(), Convolution("conv3"), MaxPool(), FullConnection()]


def initial_parameters(random):
    """He's normal initialisation; biases start at zero."""
    parameters = {}
    for name, shape in [*CONVOLUTIONS.items(), ("fc", FULL_CONNECTION)]:
        deviation = math.sqrt(2 / math.prod(shape[1:]))
        parameters[name + ".weight"] = (random.standard_normal(shape) * deviation).astype(np.float32)
        parameters[name + ".bias"] = np.zeros(shape[0], np.float32)
    return parameters


def gradients_of(layers, parameters, x, labels, smoothing):
    """Mean cross entropy of a batch against smoothed labels, and its gradient by every parameter."""
    for layer in layers:
        x = layer.forward(x, parameters)
    logarithms = x - x.max(axis=1, keepdims=True)
    logarithms -= np.log(np.exp(logarithms).sum(axis=1, keepdims=True))
    target = np.full(x.shape, smoothing / x.shape[1], x.dtype)
    target[np.arange(len(x)), labels] += 1 - smoothing
    gradients, gradient = {}, (np.exp(logarithms) - target) / len(x)
    for layer in reversed(layers):
        gradient = layer.backward(gradient, parameters, gradients)
    return -(target * logarithms).sum() / len(x), gradients


class Adam:
    """Adam (Kingma and Ba, 2015) with decoupled decay of the weights (not of the biases)."""

    def __init__(self, parameters, decay):
        self.step, self.decay = 0, decay
        self.mean = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.variance = {name: np.zeros_like(value) for name, value in parameters.items()}

    def update(self, parameters, gradients, rate):
        self.step += 1
        rate_now = rate * math.sqrt(1 - 0.999 ** self.step) / (1 - 0.9 ** self.step)
        for name, gradient in gradients.items():
            self.mean[name] += np.float32(0.1) * (gradient - self.mean[name])
            self.variance[name] += np.float32(0.001) * (gradient * gradient - self.variance[name])
            if name.endswith(".weight"):
                parameters[name] *= np.float32(1 - rate * self.decay)
            deviation = np.sqrt(self.variance[name]) + np.float32(1e-7)
            parameters[name] -= np.float32(rate_now) * self.mean[name] / deviation


def shifted(images, random):
    """Moves each image by -1, 0 or 1 pixel along x and along y (staying is as likely as moving); zeros come in."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    moves = random.choice([0, 1, 2], p=[0.25, 0.5, 0.25], size=(len(images), 2))
    return np.stack([image[i:i + 8, j:j + 8] for image, (i, j) in zip(padded, moves)])


def train(images, labels, options):
    """Trains on all of `images`; the number of epochs is fixed beforehand, so nothing is chosen by a result."""
    random = np.random.default_rng(options.seed)
    parameters, layers = initial_parameters(random), make_layers()
    adam = Adam(parameters, options.decay)
    x, batches = scaled(images, np.float32), math.ceil(len(images) / options.batch)
    for epoch in range(options.epochs):
        loss = 0.0
        for part, batch in enumerate(np.array_split(random.permutation(len(x)), batches)):
            progress = (epoch + part / batches) / options.epochs
            batch_x = shifted(x[batch], random)
            batch_loss, gradients = gradients_of(layers, parameters, batch_x, labels[batch], options.smoothing)
            adam.update(parameters, gradients, options.rate * (1 + math.cos(math.pi * progress)) / 2)
            loss += float(batch_loss) * len(batch) / len(x)
        if (epoch + 1) % 5 == 0 or epoch + 1 == options.epochs:
            print(f"epoch {epoch + 1:3} of {options.epochs}: mean training loss {loss:.4f}", flush=True)
    return parameters


# --- the oracle: float64, straight from the definition ------------------------

def scaled(images, dtype):
    """Pixels 0..16 to the network's input, 0..1. Exact in every float type: a division by a power of two."""
    return images.astype(dtype) / dtype(PIXEL_MAXIMUM)


def convolved(x, weight, bias):
    """relu(bias + sum over kh, kw, in): each position of the kernel adds one shifted image."""
    _, h, w, _ = x.shape
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    y = np.broadcast_to(bias, (*x.shape[:3], len(bias))).copy()
    for i in range(3):
        for j in range(3):
            y += np.einsum("nhwc,oc->nhwo", padded[:, i:i + h, j:j + w], weight[:, i, j])
    return np.maximum(y, 0)


def pooled(x):
    """2x2 maximum, stride 2."""
    return np.maximum(np.maximum(x[:, ::2, ::2], x[:, ::2, 1::2]), np.maximum(x[:, 1::2, ::2], x[:, 1::2, 1::2]))


def probabilities(parameters, images):
    """float64 [N, 10] from pixels [N, 8, 8, 1] in 0..16; the float32 weights are widened first."""
    p = {name: value.astype(np.float64) for name, value in parameters.items()}
    x = convolved(scaled(images, np.float64), p["conv1.weight"], p["conv1.bias"])
    x = pooled(convolved(x, p["conv2.weight"], p["conv2.bias"]))
    x = pooled(convolved(x, p["conv3.weight"], p["conv3.bias"]))
    x = np.einsum("ni,oi->no", x.reshape(len(x), -1), p["fc.weight"]) + p["fc.bias"]
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


def report(probability, labels, what):
    """Prints the accuracy, the first mistakes and the first rows; returns the number of correct digits."""
    guess = probability.argmax(axis=1)
    wrong = np.flatnonzero(guess != labels)
    correct = len(labels) - len(wrong)
    print(f"{what}: {correct} of {len(labels)} correct, accuracy {100 * correct / len(labels):.2f} %")
    for index in wrong[:10]:
        print(f"  digit {index}: labelled {labels[index]}, taken for {guess[index]} "
              f"with probability {probability[index, guess[index]]:.3f}")
    for index in range(3):
        print(f"  probability[{index}] (label {labels[index]}): " + " ".join(f"{p:.7f}" for p in probability[index]))
    return correct


# --- the command ---------------------------------------------------------------

def check(options):
    """The accuracy of the files in the directory; with --golden also the probabilities as a file."""
    try:
        parameters, metadata = read_safetensors(options.directory / "digits.safetensors")
        held_out, _ = read_safetensors(options.directory / "held_out.safetensors")
    except OSError as problem:
        sys.exit(f"train_digits: {problem}")
    probability = probabilities(parameters, held_out["images"])
    correct = report(probability, held_out["labels"], "held-out part, float64")
    recorded, computed = metadata["held_out_accuracy"], f"{correct} of {len(probability)}"
    if recorded != computed:
        print(f"train_digits: {options.directory / 'digits.safetensors'} says held_out_accuracy {recorded}, "
              f"computed {computed}", file=sys.stderr)
        return False
    if options.golden:
        write_safetensors(options.golden, {"probability": probability}, {
            "command": "tools/train_digits.py --golden",
            "license": "Apache-2.0",
            "meaning": "softmax of examples/digits/digits.safetensors, computed in float64, "
                       "for each image of held_out.safetensors",
        })
    return correct >= REQUIRED_ACCURACY * len(probability)


def validate(options):
    """For choosing settings: trains without folds 0 and 1, measures on fold 1; the held-out fold 0 is not used."""
    images, labels = load_images()
    training = np.concatenate([fold(labels, which) for which in range(2, FOLDS)])
    parameters = train(images[training], labels[training], options)
    validation = fold(labels, 1)
    report(probabilities(parameters, images[validation]), labels[validation], "validation part, float64")
    return True


def train_and_write(options):
    """Trains without fold 0, measures on it once, and writes both files if the accuracy suffices."""
    images, labels = load_images()
    held_out = fold(labels, 0)
    training = np.concatenate([fold(labels, which) for which in range(1, FOLDS)])
    print(f"training on {len(training)} digits, {len(held_out)} held out")
    parameters = train(images[training], labels[training], options)
    correct = report(probabilities(parameters, images[held_out]), labels[held_out], "held-out part, float64")
    if correct < REQUIRED_ACCURACY * len(held_out):
        print(f"train_digits: less than {100 * REQUIRED_ACCURACY:.0f} %, nothing written", file=sys.stderr)
        return False
    write_safetensors(options.directory / "digits.safetensors", parameters, {
        "command": f"tools/train_digits.py --epochs {options.epochs} --batch {options.batch} --rate {options.rate:g} "
                   f"--decay {options.decay:g} --smoothing {options.smoothing:g} --seed {options.seed}",
        "data": DATA_LICENSE,
        "held_out_accuracy": f"{correct} of {len(held_out)}",
        "input": "pixel / 16, NHWC [1, 8, 8, 1]",
        "license": "Apache-2.0",
    })
    write_safetensors(options.directory / "held_out.safetensors",
                      {"images": images[held_out], "labels": labels[held_out]}, {
        "data": DATA_LICENSE,
        "license": "CC-BY-4.0",
        "meaning": "every fifth digit of each class, in the data set's order; pixels 0..16; never used for training",
    })
    return True


def arguments():
    description, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="train_digits.py", description=description, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true",
                      help="train nothing: print the held-out accuracy of the files in DIRECTORY, computed in float64")
    mode.add_argument("--golden", metavar="OUT", type=pathlib.Path,
                      help="like --check, and write the probabilities to OUT: \"probability\" F64 [360, 10]")
    mode.add_argument("--validate", action="store_true",
                      help="train without a quarter of the training part, print the accuracy there, write nothing")
    parser.add_argument("--directory", type=pathlib.Path, default=DIRECTORY,
                        help="where the two files are written or read (default: examples/digits)")
    parser.add_argument("--epochs", type=int, default=60, help="passes over the training part (default: %(default)s)")
    parser.add_argument("--batch", type=int, default=32, help="digits per step (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=2e-3,
                        help="Adam's first step size; falls to 0 along a cosine (default: %(default)s)")
    parser.add_argument("--decay", type=float, default=0.05, help="decay of the weights (default: %(default)s)")
    parser.add_argument("--smoothing", type=float, default=0.02,
                        help="share of a label that is spread over all classes (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of weights, order and shifts (default: %(default)s)")
    options = parser.parse_args()
    if min(options.epochs, options.batch) < 1:
        parser.error("--epochs and --batch must be at least 1")
    return options


def main():
    options = arguments()
    if options.check or options.golden:
        return check(options)
    return validate(options) if options.validate else train_and_write(options)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
