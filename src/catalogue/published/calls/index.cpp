// SPDX-License-Identifier: Apache-2.0
// Calls that the published tests of category Index make. Written by tools/published; do not edit.
#include "catalogue/published/calls/parts.h"

// clang-format off
namespace kbx {

std::span<const Published> published_index() {
  static const Published rows[] = {
      {"masked_select",
       {
           "input=values(-0.924662,-0.425344,-2.64385,0.145184,-0.120866,-0.579726,-0.622851,-0.328387,-1.07454,-0.363144,-1.67105,2.2655,0.311685,-0.184189,1.28664,1.18195)[16] mask=values(0,0,0,1,0,0,0,0,0,0,0,1,1,0,1,1)[16]:bool",
           "input=values(0.180826,-0.552263,0.923813,-0.73497,1.37999,0.867631,0.129656,-0.94064,0.81091,0.882051,-1.01326,-0.363363,0.510081,0.417854,-0.68877,-0.134663,-0.311269,1.79164,-0.847871,1.64838)[4,5] mask=values(0,1,1,1,1,0,0,1,0,1,0,1,0,1,0,0,1,1,0,1)[4,5]:bool",
           "input=values(0.351582,-1.41714,-0.834887,0.30957,-0.815362,0.726775,-0.444206,0.411606,-0.131471,-0.248646,-1.17535,0.634754,-0.381137,0.800464,-0.804567,0.527692,0.89926,1.23342,-0.594051,-1.10286,1.08574,0.317502,0.945273,-0.234942)[2,3,4] mask=values(1,1,0)[1,3,1]:bool",
           "input=randn[64,128] mask=bernoulli(0.5)[64,128]:bool",
           "input=randn[64,128]@draw(2) mask=bernoulli(0.5)[64,128]:bool",
           "input=randn[64,128]@draw(3) mask=bernoulli(0.5)[64,128]:bool",
           "input=randn[64,128]@spike(0.001,20) mask=bernoulli(0.5)[64,128]:bool",
           "input=randn[64,128]@draw(2)@spike(0.001,20) mask=bernoulli(0.5)[64,128]:bool",
           "input=randn[64,128]@draw(3)@spike(0.001,20) mask=bernoulli(0.5)[64,128]:bool",
       },
       "",
       {}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
