import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@chorus/runtime/log';
import { createDocuments } from './create-documents.ts';
import type { Block, DocumentLimits, ParsedDocument, ParseOptions } from './documents.ts';

/** Media types as detected from the bytes. */
export const TYPES = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  epub: 'application/epub+zip',
  zip: 'application/zip',
  html: 'text/html',
  md: 'text/markdown',
  csv: 'text/csv',
  txt: 'text/plain',
  json: 'application/json',
  bin: 'application/octet-stream',
  png: 'image/png',
} as const;

export interface TestParser {
  parse(
    name: string,
    bytes: string | Uint8Array,
    options?: Partial<ParseOptions> & { mimeType?: string },
  ): Promise<ParsedDocument>;
  fault(
    name: string,
    bytes: string | Uint8Array,
    options?: Partial<ParseOptions>,
  ): Promise<{ code: string; message: string }>;
  close(): Promise<void>;
}

export async function startTestParser(limits: Partial<DocumentLimits> = {}): Promise<TestParser> {
  const documents = createDocuments({ log: createLogger({ name: 'test', level: 'silent' }), processes: 1, limits });
  const folder = await mkdtemp(join(tmpdir(), 'chorus-documents-test-'));
  let count = 0;
  const parse: TestParser['parse'] = async (filename, bytes, { mimeType, ...options } = {}) => {
    count += 1;
    const path = join(folder, String(count));
    await writeFile(path, bytes);
    const ending = filename.split('.').at(-1) as keyof typeof TYPES;
    const file = { path, filename, mimeType: mimeType ?? TYPES[ending] };
    return documents.parse(file, { signal: new AbortController().signal, ...options });
  };
  return {
    parse,
    fault: (name, bytes, options) =>
      parse(name, bytes, options).then(
        () => ({ code: 'none', message: '' }),
        ({ code, message }: { code: string; message: string }) => ({ code, message }),
      ),
    async close() {
      await documents.close();
      await rm(folder, { recursive: true });
    },
  };
}

export const inShort = ({ blocks }: { blocks: readonly Block[] }): string[] =>
  blocks.map(({ type, level = 0, text }) => (type === 'heading' ? `${'#'.repeat(level)} ${text}` : `${type}: ${text}`));
