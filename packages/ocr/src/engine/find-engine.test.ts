import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createLogger } from '@chorus/runtime/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOcr } from '../create-ocr.ts';
import { drawPage } from '../test-pages.ts';
import { findEngine } from './find-engine.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-ocr-test-'));
  await chmod(folder, 0o755); // children may run as another user
});
afterAll(() => rm(folder, { recursive: true }));

/** Imitates tesseract: versions, languages, and the words of a page. */
const PROGRAM = `#!/bin/sh
case "$1" in
  --version) echo 'tesseract 5.3.0'; echo ' leptonica-1.82.0';;
  --list-langs) echo "List of available languages in \\"$TESSDATA_PREFIX\\" (3):"; echo deu; echo eng; echo osd;;
  *)
    head -c 2 >/dev/null; cat >/dev/null
    printf 'level\\tpage_num\\tblock_num\\tpar_num\\tline_num\\tword_num\\tleft\\ttop\\twidth\\theight\\tconf\\ttext\\n'
    printf '4\\t1\\t1\\t1\\t1\\t0\\t10\\t10\\t200\\t20\\t-1\\t\\n'
    printf '5\\t1\\t1\\t1\\t1\\t1\\t10\\t10\\t90\\t20\\t96.5\\tGrüße\\n'
    printf '5\\t1\\t1\\t1\\t1\\t2\\t110\\t10\\t100\\t20\\t90\\t%s/%s\\n' "$4" "$OMP_THREAD_LIMIT"
    printf '5\\t1\\t2\\t1\\t1\\t1\\t10\\t90\\t100\\t20\\t7\\tdust\\n';;
esac
`;

test('uses tesseract from the path with its languages', async () => {
  await writeFile(join(folder, 'tesseract'), PROGRAM);
  await chmod(join(folder, 'tesseract'), 0o755);
  const log = createLogger({ name: 'test', level: 'silent' });
  const searchPath = ['/nowhere', folder].join(delimiter);
  const ocr = createOcr({ processes: 1, log, searchPath, tessdata: '/languages' });
  expect(await ocr.engine()).toEqual({ name: 'tesseract', version: '5.3.0', languages: ['deu', 'eng'] });
  const png = await (await drawPage({ width: 200, height: 80, marks: [{ text: 'Hello', x: 20, y: 40 }] }))
    .png()
    .toBuffer();
  const pages = await Array.fromAsync(ocr.read(png, 'image/png', { languages: ['deu', 'eng'] }));
  expect(pages).toMatchObject([{ text: 'Grüße deu+eng/1', confidence: 0.923 }]);
  await ocr.close();
});

test('falls back to tesseract.js with the installed languages, or English', async () => {
  const languages = async (tessdata: string | null) => {
    const { name, languages: found } = await findEngine('/nowhere', tessdata);
    return [name, found];
  };
  expect(await languages(null)).toEqual(['tesseract.js', ['eng']]);
  expect(await languages('/nowhere')).toEqual(['tesseract.js', ['eng']]);
  for (const name of ['fra', 'chi_sim', 'chi_sim_vert', 'osd'])
    await writeFile(join(folder, `${name}.traineddata`), '');
  expect(await languages(folder)).toEqual(['tesseract.js', ['chi_sim', 'chi_sim_vert', 'fra']]);
});
