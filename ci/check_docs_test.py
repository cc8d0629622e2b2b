#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What check_docs.py finds and what it leaves alone, in a repository of a few lines."""
import pathlib
import tempfile
import unittest

import check_docs

REGISTRY = """
// row<NobodyRequest, &nobody, &refuse>(0, 9) in a comment
constexpr auto kRows = std::to_array<ApiRow>({
    advertised_from_zero(row<ProduceRequest, &produce, &refuse_produce>(3, 13)),
    with_telemetry(plain<PushTelemetryRequest, PushTelemetryResponse,
                         &push_telemetry>(0,
                                          0)),
});
"""
PAGE = """# The fake

| keys | why |
|---|---|
| 4-5, 7 | between brokers |

| API | ktrial | Kafka 4.4 | shown by |
|---|---|---|---|
| 0 Produce | 3-13 (offers 0) | 3-13 (offers 0) | [Data.IsProduced](../fake/data_test.cc) |
| 72 PushTelemetry | 0 | 0 | [Data.IsPushed](../fake/data_test.cc) |

| what | ktrial | shown by |
|---|---|---|
| a start | yes | [`starts --quickly`](../ci/smoke) |
| a disk | no | |
"""
FILES = {
    "README.md": "# Read me\n\n[the fake](docs/fake-cluster.md#the-fake), [tests](fake/)\n",
    "docs/fake-cluster.md": PAGE,
    "fake/data_test.cc": "TEST_F(Data, IsProduced) {}\nTEST_P(Data,\n       IsPushed) {}\n",
    "ci/smoke": "ktrial starts --quickly\n",
    check_docs.REGISTRY: REGISTRY,
    check_docs.RELEASES: "# KEY:MIN-MAX\n4.3 0:3-12\n4.4 0:3-13 4:0-0 72:0-0\n",
    check_docs.SCHEMAS + "/00_produce.schema": "api 0 Produce\n",
    check_docs.SCHEMAS + "/72_push_telemetry.schema": "api 72 PushTelemetry\n",
}


def faults(**changed):
    """Of the repository with files changed: "path" = text, or (old, new)."""
    files = dict(FILES)
    for name, change in changed.items():
        old = files.get(name, "")
        if isinstance(change, tuple):
            assert change[0] in old, change[0]
            change = old.replace(*change, 1)
        files[name] = change
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check_docs.check(check_docs.Repository(folder, files))[0]


def of_readme(text):
    return faults(**{"README.md": text})


def of_page(old, new):
    return faults(**{"docs/fake-cluster.md": (old, new)})


class CheckDocs(unittest.TestCase):
    def test_what_is_true_passes(self):
        self.assertEqual(faults(), [])

    def test_links_lead_to_files_and_folders_of_the_repository(self):
        self.assertEqual(of_readme("\n[a](docs/none.md)"), ["README.md:2: there is no docs/none.md in the repository"])
        self.assertEqual(of_readme("[a](../README.md)"), ["README.md:1: there is no ../README.md in the repository"])
        self.assertEqual(of_readme("![a](x.svg) [b](docs) [c](https://example.org/x) [d](mailto:x@y)"),
                         ["README.md:1: there is no x.svg in the repository"])

    def test_anchors_are_headings(self):
        text = "# A `b` *c*: d\n\n## Twice\n\n## Twice\n[1](#a-b-c-d) [2](#twice-1) [3](#twice-2)"
        self.assertEqual(of_readme(text), ["README.md:6: README.md has no heading #twice-2"])
        self.assertEqual(of_readme("[a](docs/fake-cluster.md#gone)"),
                         ["README.md:1: docs/fake-cluster.md has no heading #gone"])
        self.assertEqual(of_readme("```\n# No heading\n```\n[a](#no-heading)"),
                         ["README.md:4: README.md has no heading #no-heading"])

    def test_code_has_no_links(self):
        self.assertEqual(of_readme("```\n[a](none)\n```\nas in `[a](none)`"), [])
        self.assertEqual(of_readme("[`a`](none)"), ["README.md:1: there is no none in the repository"])

    def test_a_named_test_must_be_there(self):
        self.assertEqual(of_readme("[Data.IsLost](fake/data_test.cc)"),
                         ["README.md:1: fake/data_test.cc has no test Data.IsLost"])
        self.assertEqual(of_readme("[Data.IsPushed](fake/data_test.cc)"), [])

    def test_a_claim_is_shown(self):
        self.assertEqual(of_page("| a disk | no | |", "| a disk | yes | |"),
                         ["docs/fake-cluster.md:15: 'a disk' is claimed and shown by no test"])
        self.assertEqual(of_page("[Data.IsPushed]", "[a test]"),
                         ["docs/fake-cluster.md:10: 'a test' is not the Suite.Test of a test in fake/data_test.cc"])
        self.assertEqual(of_page("(../ci/smoke)", "(../ci)"),
                         ["docs/fake-cluster.md:14: ../ci is a folder, not a test"])

    def test_a_script_says_what_its_link_says(self):
        self.assertEqual(faults(**{"ci/smoke": "ktrial starts\n"}),
                         ["docs/fake-cluster.md:14: ci/smoke does not say 'starts --quickly'"])

    def test_rows_have_as_many_cells_as_the_header(self):
        self.assertEqual(of_page("| a disk | no | |", "| a | disk | no | |"),
                         ["docs/fake-cluster.md:15: 4 cells below 3 headers"])
        self.assertEqual(of_page("| a disk | no | |", "| a disk | no |"),
                         ["docs/fake-cluster.md:15: 2 cells below 3 headers"])

    def test_versions_are_those_of_the_registry(self):
        self.assertEqual(of_page("| 3-13 (offers 0) | 3", "| 3-12 (offers 0) | 3"),
                         ["docs/fake-cluster.md:9: Produce (0) is served as 3-13 (offers 0), the table says "
                          "'3-12 (offers 0)'"])
        self.assertEqual(of_page("0 Produce", "0 Prodce"),
                         ["docs/fake-cluster.md:9: API 0 is Produce, not 'Prodce'"])
        row = "| 72 PushTelemetry | 0 | 0 | [Data.IsPushed](../fake/data_test.cc) |\n"
        self.assertEqual(of_page(row, ""),
                         ["docs/fake-cluster.md:1: PushTelemetry (72), served as 0, is not in the table"])
        self.assertEqual(of_page(row, row + row),
                         ["docs/fake-cluster.md:11: API 72 is in the table already, in line 10"])
        self.assertEqual(of_page("72 PushTelemetry", "PushTelemetry")[0],
                         "docs/fake-cluster.md:10: an API is '0 Produce', not 'PushTelemetry'")
        self.assertEqual(of_page(row, row + "| 4 LeaderAndIsr | 0 | 0 | [Data.IsPushed](../fake/data_test.cc) |\n"),
                         ["docs/fake-cluster.md:11: LeaderAndIsr (4) is not served, the table says '0'"])

    def test_a_registry_that_cannot_be_read_is_told(self):
        for change, fault in [(("(3, 13)", "(kFirst, 13)"), "2 rows in kRows, of which 1 can be read here"),
                              (("ProduceRequest", "ProdceRequest"), "Prodce has no schema in protocol/schema"),
                              (("kRows", "kLines"), "there is no array kRows")]:
            self.assertEqual(faults(**{check_docs.REGISTRY: change}), [f"{check_docs.REGISTRY}: {fault}"])

    def test_versions_of_kafka_are_those_of_its_jars(self):
        self.assertEqual(of_page("| 0 | 0 |", "| 0 | 0-1 |"),
                         ["docs/fake-cluster.md:10: PushTelemetry (72) of Kafka 4.4 is 0, the table says '0-1'"])

    def test_every_api_is_served_or_left_out(self):
        self.assertEqual(of_page("| 4-5, 7 |", "| 5, 7 |"),
                         ["docs/fake-cluster.md:1: Kafka 4.4 has API 4: it is neither served nor named as left out"])
        self.assertEqual(of_page("| 4-5, 7 |", "| 0-5, 7 |"),
                         ["docs/fake-cluster.md:1: Produce (0) is served and named as left out"])


if __name__ == "__main__":
    unittest.main()
