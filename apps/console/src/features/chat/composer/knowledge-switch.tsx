import { BookOpenIcon, TagIcon } from '@heroicons/react/24/outline';
import { Button, Popover, Tooltip } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Loading } from '../../../components/loading.tsx';
import classes from './composer.module.css';
import { useChatSettings } from './use-chat-settings.ts';

const KnowledgeTags = lazy(() => import('./knowledge-tags.tsx'));

/** Whether answers rest on one's documents, and on which. */
export function KnowledgeSwitch() {
  const { usesKnowledge, setUsesKnowledge, knowledgeTags } = useChatSettings();
  const which = knowledgeTags.length === 0 ? 'All documents' : knowledgeTags.join(', ');
  return (
    <>
      <Tooltip label={usesKnowledge ? 'Answers cite your documents' : 'Your documents are not looked at'}>
        <Button
          size="compact-sm"
          variant={usesKnowledge ? 'light' : 'subtle'}
          color={usesKnowledge ? undefined : 'gray'}
          leftSection={<BookOpenIcon />}
          className={classes.option}
          aria-label="Knowledge"
          aria-pressed={usesKnowledge}
          onClick={() => setUsesKnowledge(!usesKnowledge)}
        >
          <span className={classes.optionLabel}>Knowledge</span>
        </Button>
      </Tooltip>
      {usesKnowledge && (
        <Popover position="top-start" width={300} trapFocus returnFocus>
          <Popover.Target>
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              leftSection={<TagIcon />}
              className={classes.option}
              aria-label={`Documents to look in: ${which}`}
            >
              <span className={classes.optionLabel}>{which}</span>
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            <Suspense fallback={<Loading />}>
              <KnowledgeTags />
            </Suspense>
          </Popover.Dropdown>
        </Popover>
      )}
    </>
  );
}
