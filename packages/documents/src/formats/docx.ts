import { officeTitle } from '../package/office-title.ts';
import type { Package } from '../package/open-package.ts';
import { readXml } from '../package/read-xml.ts';
import { relationOf, relationsOf } from '../package/relations.ts';
import type { PackageReader } from '../parse-task.ts';
import { PictureList } from '../pictures/picture-list.ts';
import { FlowWriter } from '../text/flow-writer.ts';
import { ListNumbers } from '../text/list-numbers.ts';
import { type Chart, readChart } from './chart.ts';
import { DocxBody } from './docx-body.ts';
import { readNumbering, readStyles } from './docx-styles.ts';

const MAX_CHARTS = 200;

/**
 * Reads a Word document: styled paragraphs, lists, tables, chart values, and footnotes after their paragraph. Leaves
 * out page headers and footers.
 */
export const readDocx: PackageReader = async ({ packed, part, limits, writer }) => {
  const relations = await relationsOf(packed, part);
  const styles = await readStyles(packed, relationOf(relations, 'styles'));
  const isNumbered = await readNumbering(packed, relationOf(relations, 'numbering'));
  const notes = new Map<string, string>();
  for (const kind of ['footnote', 'endnote'] as const)
    await readNotes(packed, relationOf(relations, `${kind}s`), kind, notes, limits.characters);
  const charts = new Map<string, Chart>();
  for (const { id, type, target } of relations)
    if (type === 'chart' && charts.size < MAX_CHARTS) charts.set(id, await readChart(packed, target));
  const flow = new FlowWriter(writer);
  const pictures = new PictureList(writer);
  const images = new Map(relations.flatMap(({ id, type, target }) => (type === 'image' ? [[id, target]] : [])));
  const addPicture = (id: string) => {
    const image = images.get(id);
    if (image !== undefined) flow.addPicture(() => pictures.mark(image));
  };
  const body = new DocxBody(flow, { styles, isNumbered, numbers: new ListNumbers(), notes, charts, addPicture });
  const total = packed.sizeOf(part);
  await readXml(packed, part, body, (readBytes) => writer.reach(readBytes, Math.max(total, readBytes)));
  flow.end();
  await pictures.sendFrom(packed);
  const own = await officeTitle(packed, relationOf(await relationsOf(packed, ''), 'core-properties'));
  return { title: own ?? body.title ?? writer.firstHeading, warnings: pictures.warnings() };
};

async function readNotes(
  packed: Package,
  part: string | undefined,
  kind: 'footnote' | 'endnote',
  notes: Map<string, string>,
  maxCharacters: number,
): Promise<void> {
  if (part === undefined) return;
  let left = maxCharacters;
  let id: string | null = null;
  let isText = false;
  await readXml(packed, part, {
    open(name, attribute) {
      // Notes with a type are only separator lines.
      if (name === kind) id = attribute('type') === undefined ? (attribute('id') ?? null) : null;
      isText = name === 't';
    },
    close(name) {
      isText = false;
      if (name === kind) id = null;
    },
    text(text) {
      left -= text.length;
      if (id !== null && isText && left >= 0) notes.set(`${kind}:${id}`, (notes.get(`${kind}:${id}`) ?? '') + text);
    },
  });
}
