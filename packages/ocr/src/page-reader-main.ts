import { serveTasks } from '@chorus/sandbox';
import { createPageReader } from './child/page-reader.ts';
import type { ChildSettings, Task, TaskAnswers } from './page-tasks.ts';

// The process that opens pictures and PDFs of strangers.
serveTasks<ChildSettings, Task, TaskAnswers[Task['type']]>((settings) => {
  const reader = createPageReader(settings);
  return (task) => reader.run(task);
});
