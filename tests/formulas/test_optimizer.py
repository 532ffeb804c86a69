# SPDX-License-Identifier: Apache-2.0
import math

import pytest
import torch


@pytest.mark.parametrize("step, lr, beta1, beta2, eps, decay", [(1, 0.001, 0.9, 0.999, 1e-8, 0.01), (7, 0.1, 0.8, 0.95, 0.1, 0.5),
                                                                (1000, 0.5, 0.9, 0.999, 1e-3, 0.0)])
def test_adamw_step(kbx, randn, close, step, lr, beta1, beta2, eps, decay):
    param, grad, mean, square = randn(9), randn(9), randn(9), randn(9).abs()
    before, gradient = [t.tolist() for t in (param, grad, mean, square)], grad.clone()
    expected = []
    for p, g, m, v in zip(*before):
        m = m * beta1 + g * (1 - beta1)
        v = v * beta2 + g * g * (1 - beta2)
        p = p - lr * decay * p - lr * (m / (1 - beta1**step)) / (math.sqrt(v / (1 - beta2**step)) + eps)
        expected.append((p, m, v))
    results = kbx.adamw_step(param, grad, mean, square, step, lr, beta1, beta2, eps, decay)
    for result, argument, values in zip(results, (param, mean, square), zip(*expected)):
        close(result, values)
        close(argument, values)
    assert torch.equal(grad, gradient)


@pytest.mark.parametrize("lr, alpha, eps, decay", [(0.01, 0.99, 1e-8, 0.0), (0.5, 0.5, 0.1, 0.25), (0.1, 0.9, 1e-3, 1.0)])
def test_rmsprop_step(kbx, randn, close, lr, alpha, eps, decay):
    param, grad, square = randn(9), randn(9), randn(9).abs()
    before, gradient = [t.tolist() for t in (param, grad, square)], grad.clone()
    expected = []
    for p, g, v in zip(*before):
        g = g + decay * p
        v = alpha * v + (1 - alpha) * g * g
        expected.append((p - lr * g / (math.sqrt(v) + eps), v))
    results = kbx.rmsprop_step(param, grad, square, lr, alpha, eps, decay)
    for result, argument, values in zip(results, (param, square), zip(*expected)):
        close(result, values)
        close(argument, values)
    assert torch.equal(grad, gradient)


@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize("lr, momentum, decay, dampening", [(0.1, 0.9, 0.0, 0.0), (0.5, 0.5, 0.25, 0.5), (0.01, 1.0, 1.0, 1.0)])
def test_sgd_step(kbx, randn, close, lr, momentum, decay, dampening, nesterov):
    param, grad, buffer = randn(9), randn(9), randn(9)
    before, gradient = [t.tolist() for t in (param, grad, buffer)], grad.clone()
    expected = []
    for p, g, b in zip(*before):
        g = g + decay * p
        b = momentum * b + (1 - dampening) * g
        expected.append((p - lr * (g + momentum * b if nesterov else b), b))
    results = kbx.sgd_step(param, grad, buffer, lr, momentum, decay, dampening, nesterov)
    for result, argument, values in zip(results, (param, buffer), zip(*expected)):
        close(result, values)
        close(argument, values)
    assert torch.equal(grad, gradient)


@pytest.mark.parametrize("has_buffer", [False, True])
def test_sgd_step_without_momentum(kbx, randn, close, has_buffer):
    param, grad = randn(9), randn(9)
    buffer = randn(9) if has_buffer else None
    kept = buffer.clone() if has_buffer else None
    expected = [p - 0.2 * (g + 0.5 * p) for p, g in zip(param.tolist(), grad.tolist())]
    result, second = kbx.sgd_step(param, grad, buffer, lr=0.2, momentum=0.0, weight_decay=0.5, dampening=0.5, nesterov=True)
    close(result, expected)
    close(param, expected)
    assert second is None
    assert not has_buffer or torch.equal(buffer, kept)


@pytest.mark.parametrize("step, given", [(3, ()), (1, (0.01, 0.9, 0.999, 1e-8, 0.01)), (7, (0.1, 0.8, 0.95, 0.1, 0.5)),
                                         (1000, (0.5, 0.9, 0.999, 1e-3, 0.0))])
def test_adam_step(kbx, randn, close, step, given):
    lr, beta1, beta2, eps, decay = given or (0.001, 0.9, 0.999, 1e-8, 0.0)
    param, grad, mean, square = randn(9), randn(9), randn(9), randn(9).abs()
    before, gradient = [t.tolist() for t in (param, grad, mean, square)], grad.clone()
    expected = []
    for p, g, m, v in zip(*before):
        g = g + decay * p
        m = m * beta1 + g * (1 - beta1)
        v = v * beta2 + g * g * (1 - beta2)
        expected.append((p - lr * (m / (1 - beta1**step)) / (math.sqrt(v / (1 - beta2**step)) + eps), m, v))
    results = kbx.adam_step(param, grad, mean, square, step, *given)
    for result, argument, values in zip(results, (param, mean, square), zip(*expected)):
        close(result, values, rtol=1e-12)
        close(argument, values, rtol=1e-12)
    assert torch.equal(grad, gradient)


@pytest.mark.parametrize("given", [(), (0.1, 0.5, 0.75, 0.5), (0.01, 0.0, 0.9, 1.0), (0.5, 1.0, 0.0, 0.0)])
def test_lion_step(kbx, randn, close, given):
    lr, beta1, beta2, decay = given or (0.0001, 0.9, 0.99, 0.0)
    param, grad, momentum = randn(9), randn(9), randn(9)
    grad[4] = momentum[4] = 0  # no direction
    before, gradient = [t.tolist() for t in (param, grad, momentum)], grad.clone()
    expected = []
    for p, g, m in zip(*before):
        u = beta1 * m + (1 - beta1) * g
        direction = 0.0 if u == 0 else math.copysign(1, u)
        expected.append((p * (1 - lr * decay) - lr * direction, beta2 * m + (1 - beta2) * g))
    results = kbx.lion_step(param, grad, momentum, *given)
    for result, argument, values in zip(results, (param, momentum), zip(*expected)):
        close(result, values, rtol=1e-12)
        close(argument, values, rtol=1e-12)
    assert torch.equal(grad, gradient)
