import { resolve } from 'node:path';
import { defineActions } from './define-actions.ts';
import { textOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';
import { extensionOf, openFile, saveAsset } from './files.ts';

export const assets = defineActions({
  name: 'assets',
  summary: 'Lists, uploads, downloads, and deletes files.',
  actions: {
    list: {
      does: 'lists the newest first; --kind filters',
      async run({ chorus, options, output, interrupts: { signal } }) {
        const kind = textOption(options, 'kind') as 'image' | undefined;
        const all = await Array.fromAsync(chorus.assets.all({ limit: 100, kind }, { signal }));
        output.table(['ID', 'TYPE', 'BYTES', 'NAME', 'CREATED'], all, (one) => [
          one.id,
          one.mime_type,
          String(one.size_bytes),
          one.filename,
          one.created_at,
        ]);
        return EXIT.done;
      },
    },
    upload: {
      args: '<file> …',
      does: 'stores files',
      async run({ chorus, output, from, interrupts: { signal } }, ...files) {
        for (const file of files) {
          const asset = await chorus.assets.upload(await openFile(from, file), { signal });
          output.done(`${asset.id}  ${file}`, asset);
        }
        return EXIT.done;
      },
    },
    download: {
      args: '<id> [<path>]',
      does: 'saves one; --force overwrites a file',
      async run({ chorus, output, options, from, interrupts: { signal } }, id = '', path) {
        const asset = await chorus.assets.get(id, { signal });
        const name = path ?? asset.filename ?? `${id}${extensionOf(asset)}`;
        await saveAsset(chorus, asset, resolve(from, name), { force: options.force === true, signal });
        output.done(name, { type: 'file.saved', path: resolve(from, name), asset_id: id });
        return EXIT.done;
      },
    },
    delete: {
      args: '<id> …',
      does: 'deletes them',
      async run({ chorus, output, interrupts: { signal } }, ...ids) {
        for (const id of ids) output.done(`${id}  deleted`, await chorus.assets.delete(id, { signal }));
        return EXIT.done;
      },
    },
  },
  options: { kind: { type: 'string' }, force: { type: 'boolean' } },
  details: ['--kind <kind>        image, video, audio, document, or other'],
});
