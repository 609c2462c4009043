"""Prints what the libraries of both standards find wrong with bills of materials, one line for each fault."""

import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document


def faults_of(path):
    if path.endswith(".cdx.json"):
        with open(path, encoding="utf-8") as file:
            fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(file.read())
        return [fault] if fault else []
    return [message.validation_message for message in validate_full_spdx_document(parse_file(path))]


for path in sys.argv[1:]:
    for fault in faults_of(path):
        print(f"{path}: {fault}")
