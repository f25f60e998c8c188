import { officeTitle } from '../package/office-title.ts';
import { readXml } from '../package/read-xml.ts';
import { relationOf, relationsOf } from '../package/relations.ts';
import type { PackageReader } from '../parse-task.ts';
import { PictureList } from '../pictures/picture-list.ts';
import { FlowWriter } from '../text/flow-writer.ts';
import { readChart } from './chart.ts';
import { SlideReader } from './pptx-slide.ts';

/** Reads slides in order, each a page under its title, with tables, charts, diagrams, and speaker notes. */
export const readPptx: PackageReader = async ({ packed, part, writer }) => {
  const ids: string[] = [];
  await readXml(packed, part, {
    open(name, attribute) {
      if (name === 'sldId') ids.push(attribute('r:id') ?? '');
    },
  });
  const targets = new Map((await relationsOf(packed, part)).map(({ id, target }) => [id, target]));
  const pictures = new PictureList(writer);
  const slides = ids.flatMap((id) => targets.get(id) ?? []).filter((slide) => packed.has(slide));
  for (const [index, slide] of slides.entries()) {
    writer.page = index + 1;
    const flow = new FlowWriter(writer);
    const relations = await relationsOf(packed, slide);
    const images = new Map(relations.flatMap(({ id, type, target }) => (type === 'image' ? [[id, target]] : [])));
    const reader = new SlideReader(null, (id) => pictures.mark(images.get(id) ?? ''));
    await readXml(packed, slide, reader);
    for (const diagram of relations.filter(({ type }) => type === 'diagramData'))
      await readXml(packed, diagram.target, reader);
    writer.add('heading', reader.title.trim() || `Slide ${index + 1}`, { level: 1 });
    reader.writeTo(flow);
    for (const chart of relations.filter(({ type }) => type === 'chart')) {
      const { title, rows } = await readChart(packed, chart.target);
      flow.add({ type: 'paragraph' }, title);
      flow.addTable(rows);
    }
    const notes = relationOf(relations, 'notesSlide');
    if (notes !== undefined) {
      const noted = new SlideReader('body');
      await readXml(packed, notes, noted);
      noted.writeTo(flow);
    }
    flow.end();
    await writer.reach(index + 1, slides.length);
  }
  await pictures.sendFrom(packed);
  const own = await officeTitle(packed, relationOf(await relationsOf(packed, ''), 'core-properties'));
  return { title: own ?? writer.firstHeading, pageCount: slides.length, warnings: pictures.warnings() };
};
