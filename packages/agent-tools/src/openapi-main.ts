import { parentPort, workerData } from 'node:worker_threads';
import { compileDocument } from './http/compile-document.ts';
import { DocumentError } from './http/document-refs.ts';

try {
  parentPort?.postMessage({ api: compileDocument(String(workerData)) });
} catch (error) {
  // A document that is nested too deeply exhausts the stack.
  const known =
    error instanceof DocumentError ? error.message : 'The document cannot be read: it is nested too deeply.';
  parentPort?.postMessage({ problem: known });
}
