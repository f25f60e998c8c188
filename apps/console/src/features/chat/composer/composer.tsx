import { ArrowUpIcon, PaperClipIcon } from '@heroicons/react/24/outline';
import { StopIcon } from '@heroicons/react/24/solid';
import { ActionIcon, FileButton, Group, Text, Textarea, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { type DragEvent, type KeyboardEvent, useRef, useSyncExternalStore } from 'react';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { AttachmentChips } from './attachment-chips.tsx';
import classes from './composer.module.css';
import { drafts } from './drafts.ts';
import { KnowledgeSwitch } from './knowledge-switch.tsx';
import { ModelPicker } from './model-picker.tsx';
import { useAttachments } from './use-attachments.ts';

export interface Draft {
  message: string;
  attachments?: string[];
}

interface ComposerProps {
  /** The conversation that is written to; `new`: one that does not exist yet. */
  place: string;
  isAnswering: boolean;
  /** Whether something is being begun or stopped. */
  isBusy: boolean;
  /** @returns what fails when it could not be sent: the draft stays then */
  onSend: (draft: Draft) => Promise<unknown>;
  onStop?: () => void;
}

export function Composer(props: ComposerProps) {
  const { isKnown, isAtLeast } = useRole();
  const { storageKey } = useScope();
  if (!isKnown || isAtLeast('editor')) return <Writing {...props} place={`${storageKey}.${props.place}`} />;
  return (
    <Text size="sm" c="dimmed" ta="center" p="md">
      Only editors of this workspace write here; you are viewer. An admin can give you another role.
    </Text>
  );
}

function Writing({ place, isAnswering, isBusy, onSend, onStop }: ComposerProps) {
  const text = useSyncExternalStore(drafts.subscribe, () => drafts.read(place));
  const attachments = useAttachments();
  const input = useRef<HTMLTextAreaElement>(null);
  const canSend = text.trim() !== '' && !isAnswering && !isBusy && !attachments.isUploading;
  useHotkeys([
    ['/', () => input.current?.focus()],
    ['Escape', () => isAnswering && onStop?.()],
  ]);

  const send = async () => {
    // A second click may come before the first one has been drawn.
    if (!canSend || drafts.isSending(place)) return;
    const ids = attachments.ids;
    await drafts.send(place, async (message) => {
      await onSend({ message, ...(ids.length > 0 && { attachments: ids }) });
      attachments.clear();
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isAnswering) onStop?.();
    // While a word is being put together from several keys, Enter ends the word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    attachments.add([...event.dataTransfer.files]);
  };

  return (
    <div className={classes.place}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: files can be dropped here, and chosen by the button within */}
      <div className={classes.composer} onDrop={onDrop} onDragOver={(event) => event.preventDefault()}>
        <AttachmentChips uploads={attachments.uploads} onRemove={attachments.remove} />
        <Textarea
          ref={input}
          variant="unstyled"
          dir="auto"
          placeholder="Write a message"
          aria-label="Message"
          autosize
          minRows={1}
          maxRows={10}
          value={text}
          onChange={(event) => drafts.write(place, event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => attachments.add([...event.clipboardData.files])}
          autoFocus
        />
        <Group gap="xs" justify="space-between" wrap="nowrap">
          <Group gap={6} wrap="nowrap" className={classes.options}>
            <FileButton accept="image/*" multiple onChange={attachments.add}>
              {(props) => (
                <Tooltip label="Attach images">
                  <ActionIcon {...props} variant="subtle" color="gray" size="lg" aria-label="Attach images">
                    <PaperClipIcon />
                  </ActionIcon>
                </Tooltip>
              )}
            </FileButton>
            <KnowledgeSwitch />
            <ModelPicker />
          </Group>
          {isAnswering ? (
            <ActionIcon
              size="lg"
              radius="xl"
              color="red"
              onClick={onStop}
              loading={isBusy}
              aria-label="Stop the answer"
            >
              <StopIcon />
            </ActionIcon>
          ) : (
            <ActionIcon size="lg" radius="xl" onClick={send} loading={isBusy} disabled={!canSend} aria-label="Send">
              <ArrowUpIcon />
            </ActionIcon>
          )}
        </Group>
      </div>
    </div>
  );
}
