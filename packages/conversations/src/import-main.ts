import { parentPort, workerData } from 'node:worker_threads';
import { readConversation } from './import/read-conversation.ts';

// The bytes have been checked: they are UTF-8, with a bounded structure.
try {
  const raw: unknown = JSON.parse(new TextDecoder().decode(workerData).trim());
  parentPort?.postMessage({ read: readConversation(raw) });
} catch (error) {
  parentPort?.postMessage({ problem: error instanceof SyntaxError ? error.message : 'it cannot be read' });
}
