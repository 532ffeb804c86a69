# SPDX-License-Identifier: Apache-2.0
"""Convolutions, linear layers, normalisation, pooling and attention with what is fused to them: by loops and einsum."""

import math

import numpy as np
import pytest


def pair(value):
    return (value, value) if isinstance(value, int) else tuple(value)


def convolution(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    x, weight = x.numpy(), weight.numpy()
    (sh, sw), (ph, pw), (dh, dw) = pair(stride), pair(padding), pair(dilation)
    batch, channels, height, width = x.shape
    outputs, per_group, kh, kw = weight.shape
    padded = np.zeros((batch, channels, height + 2 * ph, width + 2 * pw))
    padded[:, :, ph:ph + height, pw:pw + width] = x
    rows = (height + 2 * ph - dh * (kh - 1) - 1) // sh + 1
    columns = (width + 2 * pw - dw * (kw - 1) - 1) // sw + 1
    y = np.zeros((batch, outputs, rows, columns))
    for o in range(outputs):
        first = o // (outputs // groups) * per_group
        for i in range(rows):
            for j in range(columns):
                for u in range(kh):
                    for v in range(kw):
                        y[:, o, i, j] += padded[:, first:first + per_group, i * sh + u * dh, j * sw + v * dw] @ weight[o, :, u, v]
        y[:, o] += 0 if bias is None else float(bias[o])
    return y


def linear(x, weight, bias=None):
    y = np.einsum("...k,nk->...n", x.numpy(), weight.numpy())
    return y if bias is None else y + bias.numpy()


def each(function, y):
    return np.vectorize(function, otypes=[float])(y)


def sigmoid(v):
    return 1 / (1 + math.exp(-v))


def normalized(y, axes, eps):
    count = math.prod(y.shape[a] for a in axes)
    mean = y.sum(axis=axes, keepdims=True) / count
    return (y - mean) / np.sqrt(((y - mean) ** 2).sum(axis=axes, keepdims=True) / count + eps)


LAYOUTS = [{}, {"stride": 2, "padding": 1}, {"stride": (1, 2), "padding": (2, 0), "dilation": (1, 2), "groups": 2}, {"groups": 4}]


@pytest.fixture
def image(randn):
    return randn(2, 4, 7, 6), randn(8, 4, 3, 2)


def filters(weight, layout):
    return weight[:, :4 // layout.get("groups", 1)].contiguous()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("with_bias", [False, True])
def test_conv2d(kbx, randn, image, close, layout, with_bias):
    x, weight, bias = image[0], filters(image[1], layout), randn(8) if with_bias else None
    close(kbx.conv2d(x, weight, bias, **layout), convolution(x, weight, bias, **layout))


def max_pooled(y, kernel, stride, padding, dilation, ceil_mode):
    def windows(size, k, s, p, d):
        count = size + 2 * p - d * (k - 1) - 1
        outputs = (count + s - 1 if ceil_mode else count) // s + 1
        outputs -= ceil_mode and (outputs - 1) * s >= size + p  # none starts beyond the map and its left padding
        return [[j for j in range(i * s - p, i * s - p + d * k, d) if 0 <= j < size] for i in range(outputs)]

    rows, columns = (windows(*sizes) for sizes in zip(y.shape[2:], *map(pair, (kernel, stride or kernel, padding, dilation))))
    return np.array([[[[max(float(plane[i, j]) for i in r for j in c) for c in columns] for r in rows] for plane in planes]
                     for planes in y])


@pytest.mark.parametrize("layout", LAYOUTS[:3])
@pytest.mark.parametrize("kernel, stride, padding, dilation", [(2, None, 0, 1), (2, 1, 1, 1), (3, 3, 1, 1),
                                                                ((2, 3), (1, 2), (0, 1), (2, 1))])
@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("inplace", [False, True])
def test_fused_relu_max_pool2d_conv2d(kbx, randn, image, close, layout, kernel, stride, padding, dilation, ceil_mode, inplace):
    x, weight, bias = image[0], filters(image[1], layout), randn(8)
    before = x.clone()
    pooled = max_pooled(convolution(x, weight, bias, **layout), kernel, stride, padding, dilation, ceil_mode)
    y = kbx.fused_relu_max_pool2d_conv2d(x, weight, bias, pool_kernel_size=kernel, pool_stride=stride, pool_padding=padding,
                                         pool_dilation=dilation, pool_ceil_mode=ceil_mode, inplace=inplace,
                                         **{f"conv_{k}": v for k, v in layout.items()})
    close(y, np.maximum(pooled, 0))
    close(x, before, rtol=0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("alpha", [1, -0.5])
@pytest.mark.parametrize("into", [False, True])
def test_fused_conv2d_add(kbx, randn, image, close, layout, alpha, into):
    x, weight = image[0], filters(image[1], layout)
    bias = randn(8)
    expected = convolution(x, weight, bias, **layout)
    other = randn(*expected.shape[1:])
    out = other.new_empty(expected.shape) if into else None
    y = kbx.fused_conv2d_add(x, weight, bias, other, alpha=alpha, out=out, **layout)
    close(y, expected + alpha * other.numpy())
    assert out is None or y.data_ptr() == out.data_ptr()
    close(kbx.fused_conv2d_add(x, weight, alpha=3, **layout), convolution(x, weight, **layout))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_fused_gelu_conv2d(kbx, randn, image, close, layout, approximate):
    x, weight, bias = image[0] / 4, filters(image[1], layout), randn(8)

    def gelu(v):
        if approximate == "none":
            return v * math.erfc(-v / math.sqrt(2)) / 2
        return v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))

    close(kbx.fused_gelu_conv2d(x, weight, bias, approximate=approximate, **layout),
          each(gelu, convolution(x, weight, bias, **layout)))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("slope", [0.01, 0.3])
def test_fused_leaky_relu_conv2d(kbx, randn, image, close, layout, slope):
    x, weight, bias = image[0], filters(image[1], layout), randn(8)
    close(kbx.fused_leaky_relu_conv2d(x, weight, bias, negative_slope=slope, inplace=True, **layout),
          each(lambda v: v if v > 0 else slope * v, convolution(x, weight, bias, **layout)))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_fused_relu_conv2d(kbx, randn, image, close, layout):
    x, weight, bias = image[0], filters(image[1], layout), randn(8)
    close(kbx.fused_relu_conv2d(x, weight, bias, **layout), each(lambda v: max(v, 0), convolution(x, weight, bias, **layout)))


@pytest.mark.parametrize("r, outputs", [(1, 3), (2, 8), (3, 9)])
def test_fused_pixel_shuffle_conv2d(kbx, randn, close, r, outputs):
    x, weight, bias = randn(2, 3, 6, 5), randn(outputs, 3, 2, 3), randn(outputs)
    c = convolution(x, weight, bias, padding=1)
    batch, _, height, width = c.shape
    expected = np.zeros((batch, outputs // (r * r), height * r, width * r))
    for k in range(expected.shape[1]):
        for i in range(height * r):
            for j in range(width * r):
                expected[:, k, i, j] = c[:, k * r * r + i % r * r + j % r, i // r, j // r]
    close(kbx.fused_pixel_shuffle_conv2d(x, weight, bias, padding=1, upscale_factor=r), expected)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("eps", [1e-5, 0.1])
def test_fused_instance_norm_selu_conv2d(kbx, randn, image, close, layout, eps):
    x, weight, bias = image[0] / 4, filters(image[1], layout), randn(8)

    def selu(v):
        return 1.0507009873554805 * (v if v > 0 else 1.6732632423543772 * math.expm1(v))

    close(kbx.fused_instance_norm_selu_conv2d(x, weight, bias, eps=eps, affine=True, num_features=8, **layout),
          normalized(each(selu, convolution(x, weight, bias, **layout)), (2, 3), eps))


def batch_norm(y, mean, var, weight, bias, training, momentum, eps):
    """The result, and both running statistics after it."""
    along = (slice(None),) + (None,) * (y.ndim - 2)
    mean, var, axes = mean.numpy().copy(), var.numpy().copy(), (0, *range(2, y.ndim))
    if training:
        count = y.size // y.shape[1]
        own = y.sum(axis=axes) / count
        spread = ((y - own[along]) ** 2).sum(axis=axes)
        result = (y - own[along]) / np.sqrt(spread / count + eps)[along]
        mean, var = (1 - momentum) * mean + momentum * own, (1 - momentum) * var + momentum * spread / (count - 1)
    else:
        result = (y - mean[along]) / np.sqrt(var + eps)[along]
    return result * weight.numpy()[along] + bias.numpy()[along], mean, var


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("momentum, eps", [(0.1, 1e-5), (0.4, 0.1)])
def test_fused_relu_batch_norm_conv2d(kbx, randn, image, close, training, momentum, eps):
    (x, weight), bias, scale, shift, mean, var = image, randn(8), randn(8), randn(8), randn(8), randn(8)**2 + 0.5
    c = convolution(x, weight, bias, stride=2, padding=1)
    y, new_mean, new_var = batch_norm(c, mean, var, scale, shift, training, momentum, eps)
    close(kbx.fused_relu_batch_norm_conv2d(x, weight, bias, 2, 1, 1, 1, mean, var, scale, shift, training, momentum, eps),
          y.clip(0))
    close(mean, new_mean)
    close(var, new_var)


@pytest.mark.parametrize("name", ["hardsigmoid", "inplace hardsigmoid", "sigmoid"])
@pytest.mark.parametrize("shape", [(9, 4), (5, 4, 6), (3, 4, 5, 2)])
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("momentum, eps", [(0.1, 1e-5), (0.4, 0.1)])
def test_fused_sigmoids_of_batch_norm(kbx, randn, close, name, shape, training, momentum, eps):
    x, scale, shift, mean, var = randn(*shape), randn(4) * 3, randn(4), randn(4), randn(4)**2 + 0.5
    y, new_mean, new_var = batch_norm(x.numpy(), mean, var, scale, shift, training, momentum, eps)
    function = sigmoid if name == "sigmoid" else lambda v: min(max(v / 6 + 0.5, 0), 1)
    arguments, before = (x, mean, var, scale, shift, training, momentum, eps), x.clone()
    if name == "sigmoid":
        result = kbx.fused_sigmoid_batch_norm(*arguments)
    else:
        result = kbx.fused_hardsigmoid_batch_norm(*arguments, inplace=name.startswith("inplace"))
    close(result, each(function, y))
    close(x, before, rtol=0)
    close(mean, new_mean)
    close(var, new_var)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("eps", [1e-5, 0.1])
def test_fused_silu_layer_norm_conv2d(kbx, randn, image, close, layout, eps):
    x, weight, bias = image[0], filters(image[1], layout), randn(8)
    n = normalized(convolution(x, weight, bias, **layout), (1, 2, 3), eps)
    close(kbx.fused_silu_layer_norm_conv2d(x, randn(8), weight, bias, ln_eps=eps, **{f"conv_{k}": v for k, v in layout.items()}),
          each(lambda v: v * sigmoid(v), n))


@pytest.fixture
def layer(randn):
    return randn(3, 5, 7), randn(4, 7), randn(4)


@pytest.mark.parametrize("alpha", [1.0, 0.5, -2.0])
def test_fused_elu_linear(kbx, layer, close, alpha):
    close(kbx.fused_elu_linear(*layer, alpha=alpha), each(lambda v: v if v > 0 else alpha * math.expm1(v), linear(*layer)))


@pytest.mark.parametrize("shape, axes", [(None, (2,)), ([4], (2,)), ([5, 4], (1, 2))])
@pytest.mark.parametrize("eps", [1e-5, 0.1])
def test_fused_layer_norm_relu_linear(kbx, layer, close, shape, axes, eps):
    close(kbx.fused_layer_norm_relu_linear(*layer, shape, eps), normalized(linear(*layer).clip(0), axes, eps))


@pytest.mark.parametrize("dim", [-1, 0, 1])
def test_fused_log_softmax_linear(kbx, layer, close, dim):
    z = linear(*layer)
    close(kbx.fused_log_softmax_linear(*layer, dim), z - np.log(np.exp(z).sum(axis=dim, keepdims=True)))


@pytest.mark.parametrize("beta, threshold", [(1, 20), (2, 1.5), (0.5, 0.25)])
def test_fused_softplus_linear(kbx, layer, close, beta, threshold):
    close(kbx.fused_softplus_linear(*layer, beta, threshold),
          each(lambda v: v if beta * v > threshold else math.log1p(math.exp(beta * v)) / beta, linear(*layer)))


def test_fused_tanh_linear(kbx, layer, close):
    close(kbx.fused_tanh_linear(*layer), each(lambda v: 1 - 2 / (math.exp(2 * v) + 1), linear(*layer)))


@pytest.mark.parametrize("second", [(3, 6, 5, 2), (1, 6, 1, 1), (2,)])
@pytest.mark.parametrize("groups", [1, 2, 3, 6])
@pytest.mark.parametrize("eps", [1e-5, 0.1])
def test_fused_add_mul_groupnorm(kbx, randn, close, second, groups, eps):
    x, y, weight, bias = randn(3, 6, 5, 2), randn(*second), randn(6), randn(6)
    m = (x.numpy() + y.numpy()) * y.numpy()
    n = normalized(m.reshape(3, groups, 6 // groups, 5, 2), (2, 3, 4), eps).reshape(m.shape)
    close(kbx.fused_add_mul_groupnorm(x, y, weight, bias, groups, eps),
          n * weight.numpy()[:, None, None] + bias.numpy()[:, None, None])
    close(kbx.fused_add_mul_groupnorm(x, y, None, None, groups, eps), n)


@pytest.mark.parametrize("kernel, stride, padding", [(2, None, 0), (3, 2, 1), (3, 4, 1), (4, 3, 2), (2, 3, 1)])
@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("count_include_pad", [False, True])
@pytest.mark.parametrize("length", [8, 11])
def test_fused_cos_avg_pool1d(kbx, randn, close, kernel, stride, padding, ceil_mode, count_include_pad, length):
    x, step = randn(2, 3, length), stride or kernel
    count = length + 2 * padding - kernel
    outputs = (count + step - 1 if ceil_mode else count) // step + 1
    outputs -= ceil_mode and (outputs - 1) * step >= length + padding
    expected = np.zeros((2, 3, outputs))
    for n, c, i in np.ndindex(expected.shape):
        window = range(i * step - padding, i * step - padding + kernel)
        inside = [j for j in window if 0 <= j < length]
        divisor = len([j for j in window if j < length + padding]) if count_include_pad else len(inside)
        expected[n, c, i] = sum(math.cos(x[n, c, j]) for j in inside) / divisor
    close(kbx.fused_cos_avg_pool1d(x, [kernel], stride and [stride], [padding], ceil_mode, count_include_pad), expected)


@pytest.mark.parametrize("rows, columns", [(3, 4), (1, 1), (7, 9), (9, 2)])
def test_fused_sigmoid_adaptive_avg_pool2d(kbx, randn, close, rows, columns):
    x = randn(2, 3, 7, 9)
    expected = np.zeros((2, 3, rows, columns))
    for n, c, i, j in np.ndindex(expected.shape):
        top, bottom = i * 7 // rows, -(-(i + 1) * 7 // rows)
        left, right = j * 9 // columns, -(-(j + 1) * 9 // columns)
        window = [float(x[n, c, h, w]) for h in range(top, bottom) for w in range(left, right)]
        expected[n, c, i, j] = sigmoid(sum(window) / len(window))
    close(kbx.fused_sigmoid_adaptive_avg_pool2d(x, [rows, columns]), expected)


@pytest.mark.parametrize("keys, causal", [(5, False), (5, True), (8, False)])
@pytest.mark.parametrize("scale", [None, 0.7, -0.3])
def test_attention(kbx, randn, close, keys, causal, scale):
    q, k, v = randn(2, 3, 5, 6), randn(2, 3, keys, 6), randn(2, 3, keys, 6)
    expected = np.zeros(q.shape)
    for n, h, i in np.ndindex(2, 3, 5):
        seen = range(i + 1) if causal else range(keys)
        factor = 1 / math.sqrt(6) if scale is None else scale
        powers = [math.exp(factor * math.fsum((q[n, h, i] * k[n, h, j]).tolist())) for j in seen]
        expected[n, h, i] = sum(p * v[n, h, j].numpy() for p, j in zip(powers, seen)) / sum(powers)
    out = q.new_empty(q.shape)
    y = kbx.attention(q, k, v, causal, scale, out=out)
    close(y, expected)
    assert y.data_ptr() == out.data_ptr()
