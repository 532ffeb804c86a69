// SPDX-License-Identifier: Apache-2.0
#include "core/candidate.h"
#include "core/verdict.h"

namespace kbx {

const char* name(Language language) {
  switch (language) {
    case Language::triton:
      return "triton";
    case Language::cuda:
      return "cuda";
    case Language::cpp:
      return "cpp";
  }
  return "?";
}

std::optional<Language> language_named(const std::string& text) {
  for (Language language : {Language::triton, Language::cuda, Language::cpp})
    if (text == name(language)) return language;
  return std::nullopt;
}

const char* name(Stage stage) {
  switch (stage) {
    case Stage::build:
      return "build";
    case Stage::standard:
      return "standard";
    case Stage::outlier:
      return "outlier";
    case Stage::boundary:
      return "boundary";
    case Stage::published:
      return "published";
    case Stage::measure:
      return "measure";
  }
  return "?";
}

const char* name(Accuracy accuracy) {
  switch (accuracy) {
    case Accuracy::exact:
      return "exact";
    case Accuracy::fp64:
      return "fp64";
    case Accuracy::fp32:
      return "fp32";
    case Accuracy::tf32:
      return "tf32";
    case Accuracy::fp16:
      return "fp16";
    case Accuracy::bf16:
      return "bf16";
    case Accuracy::poor:
      return "poor";
    case Accuracy::wrong:
      return "wrong";
  }
  return "?";
}

const char* name(Authorship authorship) {
  switch (authorship) {
    case Authorship::authored:
      return "authored";
    case Authorship::mixed:
      return "mixed";
    case Authorship::delegated:
      return "delegated";
  }
  return "?";
}

const char* name(KernelOrigin origin) {
  switch (origin) {
    case KernelOrigin::own:
      return "own";
    case KernelOrigin::library:
      return "library";
    case KernelOrigin::neutral:
      return "neutral";
  }
  return "?";
}

const char* name(Bound bound) {
  switch (bound) {
    case Bound::memory:
      return "memory";
    case Bound::compute:
      return "compute";
    case Bound::latency:
      return "latency";
  }
  return "?";
}

}  // namespace kbx
