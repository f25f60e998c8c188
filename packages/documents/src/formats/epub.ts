import { posix } from 'node:path';
import { ChorusError } from '@chorus/contract/errors';
import type { Package } from '../package/open-package.ts';
import { readXml } from '../package/read-xml.ts';
import type { PackageReader } from '../parse-task.ts';
import { PictureList } from '../pictures/picture-list.ts';
import { textOf } from '../text/read-text.ts';
import { HtmlReader } from './html-reader.ts';

interface Book {
  title: string | null;
  chapters: string[];
}

/** Reads the chapters of a book in reading order, without the table of contents. */
export const readEpub: PackageReader = async ({ packed, part, limits, writer }) => {
  const { title, chapters } = await readBook(packed, await rootOf(packed, part));
  const pictures = new PictureList(writer);
  let unread = 0;
  for (const [index, chapter] of chapters.entries()) {
    const reader = new HtmlReader(limits.characters);
    try {
      for (const { text } of textOf(await packed.read(chapter)).pieces()) reader.read(text);
    } catch (error) {
      if (!(error instanceof ChorusError) || error.code !== 'unsupported_media_type') throw error;
      unread += 1; // chapters with DRM
      continue;
    }
    reader.end();
    const images = reader.images.map(({ source, before }) => ({
      name: posix.join(posix.dirname(chapter), decoded(source)),
      before,
    }));
    for (const [at, { type, text, level }] of reader.pieces.entries()) {
      while (images[0] && images[0].before <= at) pictures.mark(images.shift()?.name ?? '');
      writer.add(type, text, { level });
    }
    for (const { name } of images) pictures.mark(name);
    await writer.reach(index + 1, chapters.length);
  }
  if (unread > 0 && unread === chapters.length)
    throw new ChorusError('invalid_request', 'The book is encrypted. Only books without DRM can be read.');
  await pictures.sendFrom(packed);
  const left = unread === 0 ? [] : [`${unread} of ${chapters.length} chapters are encrypted and were not read.`];
  return { title, warnings: [...left, ...pictures.warnings()] };
};

async function rootOf(packed: Package, container: string): Promise<string> {
  let root: string | null = null;
  await readXml(packed, container, {
    open(name, attribute) {
      if (name === 'rootfile') root ??= attribute('full-path') ?? null;
    },
  });
  if (root === null || !packed.has(root))
    throw new ChorusError('invalid_request', 'The book is damaged: its list of chapters is missing.');
  return root;
}

async function readBook(packed: Package, root: string): Promise<Book> {
  const files = new Map<string, string>();
  const order: string[] = [];
  let title = '';
  let isTitle = false;
  await readXml(packed, root, {
    open(name, attribute) {
      isTitle = name === 'title' && title === '';
      const isPage = /html/.test(attribute('media-type') ?? '') && !/\bnav\b/.test(attribute('properties') ?? '');
      if (name === 'item' && isPage) files.set(attribute('id') ?? '', attribute('href') ?? '');
      else if (name === 'itemref' && attribute('linear') !== 'no') order.push(attribute('idref') ?? '');
    },
    close() {
      isTitle = false;
    },
    text(text) {
      if (isTitle && title.length < 1_000) title += text;
    },
  });
  const folder = posix.dirname(root);
  const names = order.flatMap((id) => files.get(id) ?? []).map((href) => posix.join(folder, decoded(href)));
  return { title: title.trim() || null, chapters: [...new Set(names)].filter((name) => packed.has(name)) };
}

function decoded(href: string): string {
  const [path = ''] = href.split('#');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
