// SPDX-License-Identifier: Apache-2.0
// The one unit that compiles Boost.Asio's implementation (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/impl/src.hpp>
