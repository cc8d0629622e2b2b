// SPDX-License-Identifier: Apache-2.0
package io.ktrial.driver;

/** What was asked is nothing this client can do: answered with "unsupported", never ignored. */
final class UnsupportedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnsupportedException(String what) {
        super(what);
    }
}
