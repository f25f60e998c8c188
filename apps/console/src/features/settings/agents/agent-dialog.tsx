import type { Agent } from '@chorus/client';
import { Group, MultiSelect, NumberInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/dialog-form.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useKnownTags } from '../../../data/use-known-tags.ts';
import { useModels } from '../../../data/use-models.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { VoiceSelect } from './voice-select.tsx';

interface AgentDialogProps {
  /** Null: closed. */
  agent: Agent | 'new' | null;
  onClose: () => void;
  onSaved: () => void;
}

export function AgentDialog({ agent, onClose, onSaved }: AgentDialogProps) {
  return (
    <Dialog
      opened={agent !== null}
      onClose={onClose}
      title={agent === 'new' ? 'New agent' : 'Agent'}
      size="lg"
      closeOnClickOutside={false}
    >
      {agent && <AgentForm agent={agent === 'new' ? null : agent} onClose={onClose} onSaved={onSaved} />}
    </Dialog>
  );
}

function AgentForm({ agent, onClose, onSaved }: { agent: Agent | null; onClose: () => void; onSaved: () => void }) {
  const { client } = useScope();
  const models = useModels('chat');
  const known = useKnownTags();
  const [name, setName] = useState(agent?.name ?? '');
  const [instructions, setInstructions] = useState(agent?.instructions ?? '');
  const [model, setModel] = useState(agent?.model ?? null);
  const [temperature, setTemperature] = useState(agent?.temperature ?? null);
  const [voice, setVoice] = useState(agent?.voice ?? null);
  const [fallbacks, setFallbacks] = useState(agent?.fallbacks ?? []);
  const [tags, setTags] = useState(agent?.knowledge_tags ?? []);
  const save = useMutation({
    mutationFn: () => {
      const text = instructions.trim() === '' ? null : instructions;
      const body = { name, instructions: text, model, temperature, knowledge_tags: tags, voice, fallbacks };
      return agent === null ? client.agents.create(body) : client.agents.update(agent.id, body);
    },
    onSuccess: () => {
      onSaved();
      onClose();
    },
    onError: notifyError,
  });
  return (
    <DialogForm
      submit="Save"
      onSubmit={() => save.mutate()}
      onCancel={onClose}
      isPending={save.isPending}
      isIncomplete={name.trim() === ''}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        required
        data-autofocus
      />
      <Textarea
        label="Instructions"
        description="What the model is told before the conversation"
        value={instructions}
        onChange={(event) => setInstructions(event.currentTarget.value)}
        autosize
        minRows={5}
        maxRows={16}
        maxLength={32_000}
      />
      <Group grow>
        <Select
          label="Model"
          placeholder="The usual one"
          data={models.map(({ id }) => id)}
          value={model}
          onChange={setModel}
          clearable
          searchable
        />
        <NumberInput
          label="Temperature"
          placeholder="The model's own"
          value={temperature ?? ''}
          onChange={(value) => setTemperature(typeof value === 'number' ? value : null)}
          min={0}
          max={2}
          step={0.1}
        />
      </Group>
      <TagsInput
        label="Knowledge"
        description={['It answers from documents with one of these tags', known.note].filter(Boolean).join('. ')}
        data={known.tags}
        maxTags={50}
        value={tags}
        onChange={setTags}
      />
      <Group grow align="flex-start">
        <VoiceSelect value={voice} onChange={setVoice} />
        <MultiSelect
          label="When it fails"
          description="Models that take over, in this order"
          data={models.map(({ id }) => id)}
          value={fallbacks}
          onChange={setFallbacks}
          maxValues={8}
          searchable
        />
      </Group>
    </DialogForm>
  );
}
