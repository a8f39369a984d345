// Imports TestSupport for every file of these tests.
@_exported import TestSupport
