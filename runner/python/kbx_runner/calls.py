# SPDX-License-Identifier: Apache-2.0
"""One prepared set of arguments: exactly what the case spells out, and where the results go."""
import torch

from .dtypes import FROM_WIRE
from .wire import Tag


class ArgumentSet:
    """`make_tensor` gives the tensor for a wire tensor. Raises ValueError or KeyError if there is none."""

    def __init__(self, arguments, destinations, make_tensor):
        self.args, self.kwargs = [], {}
        self.tensors = []
        self.spans = []  # for each argument the (start, end) addresses of its tensors
        for name, tag, value in arguments:
            value, tensors = self._value(tag, value, make_tensor)
            self.tensors += tensors
            self.spans.append([_span(t) for t in tensors])
            if name:
                self.kwargs[name] = value
            else:
                self.args.append(value)
        self.destinations = [make_tensor(t) for t in destinations]
        self.accepted = False  # whether the function is known to take them

    @staticmethod
    def _value(tag, value, make_tensor):
        if tag == Tag.TENSOR:
            tensor = make_tensor(value)
            return tensor, [tensor]
        if tag == Tag.TENSOR_LIST:
            tensors = [make_tensor(t) for t in value]
            return list(tensors), tensors
        if tag == Tag.DTYPE:
            return FROM_WIRE[value], []
        return value, []


def _span(tensor):
    storage = torch.Tensor.untyped_storage(tensor)
    return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
