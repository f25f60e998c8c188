import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';

const FILE_NAME = 'batch.jsonl';

/** Returns a form with a file, which is read only when the form is sent. */
export async function formWith(
  path: string,
  fields: Record<string, string>,
): Promise<{ body: Blob; headers: Record<string, string> }> {
  const boundary = `batch-${randomUUID()}`;
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${FILE_NAME}"\r\ncontent-type: application/jsonl\r\n\r\n`;
  const body = new Blob([...texts, head, await openAsBlob(path), `\r\n--${boundary}--\r\n`]);
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}
