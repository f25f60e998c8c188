import { tesseractProgram } from '../engine/tesseract-program.ts';
import { wasmTesseract } from '../engine/wasm-tesseract.ts';
import type { ChildSettings, FileToRead, Task, TaskAnswers } from '../page-tasks.ts';
import { countImages, openImage, renderImage } from './image-file.ts';
import { countPdf, openPdfPage, readLayers, renderPdfPage } from './pdf-file.ts';
import { readPicture } from './read-picture.ts';

export interface PageReader {
  run(task: Task): Promise<TaskAnswers[Task['type']]>;
}

export function createPageReader(settings: ChildSettings): PageReader {
  const { program, data, pixels } = settings;
  const engine = program === null ? wasmTesseract(data) : tesseractProgram(program);
  const isPdf = ({ type }: FileToRead) => type === 'application/pdf';
  return {
    async run(task) {
      const { file } = task;
      switch (task.type) {
        case 'count':
          return isPdf(file) ? countPdf(file.path) : countImages(file, pixels);
        case 'layers':
          return readLayers(file.path, task.pages);
        case 'recognize': {
          const opened = isPdf(file)
            ? await openPdfPage(file.path, task.page)
            : await openImage(file, task.page, pixels);
          return readPicture(engine, task, { ...opened, number: task.page });
        }
        case 'picture':
          return isPdf(file) ? renderPdfPage(file.path, task.page) : renderImage(file, task.page, pixels);
        default:
          throw task satisfies never;
      }
    },
  };
}
