import { serveTasks } from '@chorus/sandbox/child';
import { createPageReader } from './child/page-reader.ts';
import type { ChildSettings, Task, TaskAnswers } from './page-tasks.ts';

// Entry point of the child process that opens untrusted images and PDFs.
serveTasks<ChildSettings, Task, TaskAnswers[Task['type']]>((settings) => {
  const reader = createPageReader(settings);
  return (task) => reader.run(task);
});
