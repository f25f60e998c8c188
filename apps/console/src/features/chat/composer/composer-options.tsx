import { BookOpenIcon, TagIcon } from '@heroicons/react/24/outline';
import { Button, Popover, Select, Tooltip } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Loading } from '../../../components/placeholders.tsx';
import { useModels } from '../../../data/queries.ts';
import classes from './composer.module.css';
import { useChatSettings } from './use-chat-settings.ts';

const KnowledgeTags = lazy(() => import('./knowledge-tags.tsx'));

export function KnowledgeToggle() {
  const { usesKnowledge, setUsesKnowledge, knowledgeTags } = useChatSettings();
  const scopeLabel = knowledgeTags.length === 0 ? 'All documents' : knowledgeTags.join(', ');
  return (
    <>
      <Tooltip label={usesKnowledge ? 'Answers cite your documents' : 'Answers do not use your documents'}>
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
              aria-label={`Search in: ${scopeLabel}`}
            >
              <span className={classes.optionLabel}>{scopeLabel}</span>
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

const DEFAULT = 'default';

export function ModelPicker() {
  const { model, setModel } = useChatSettings();
  const models = useModels('chat');
  // Keeps showing a selected model that is not available, because requests still name it.
  const ids = [...new Set([...models.map(({ id }) => id), ...(model === null ? [] : [model])])];
  return (
    <Select
      className={classes.model}
      size="xs"
      variant="unstyled"
      aria-label="Model"
      data={[{ value: DEFAULT, label: 'Default model' }, ...ids.map((id) => ({ value: id, label: id }))]}
      value={model ?? DEFAULT}
      onChange={(value) => setModel(value === null || value === DEFAULT ? null : value)}
      searchable={ids.length > 8}
      allowDeselect={false}
      comboboxProps={{ width: 280, position: 'top-start' }}
    />
  );
}
