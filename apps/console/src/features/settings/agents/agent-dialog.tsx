import type { Agent } from '@chorus/client';
import { Divider, Group, MultiSelect, NumberInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm } from '../../../components/form.tsx';
import { RecordDialog } from '../../../components/record-dialog.tsx';
import { useKnownTags, useModels } from '../../../data/queries.ts';
import { useFormMutation } from '../../../data/use-form-mutation.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { AgentToolsField } from './agent-tools-field.tsx';
import { ApprovalSelect, isCompleteApproval } from './approval-field.tsx';

interface AgentDialogProps {
  agent: Agent | 'new' | null;
  onClose: () => void;
  onSaved: () => void;
}

export function AgentDialog({ agent, onClose, onSaved }: AgentDialogProps) {
  return (
    <RecordDialog
      record={agent}
      onClose={onClose}
      titles={{ create: t('settings.newAgent'), edit: t('settings.agent') }}
      size="lg"
    >
      {(edited) => <AgentForm agent={edited} onClose={onClose} onSaved={onSaved} />}
    </RecordDialog>
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
  const [tools, setTools] = useState(agent?.tools ?? []);
  const [approval, setApproval] = useState(agent?.approval ?? 'writes');
  const [maxSteps, setMaxSteps] = useState<number | null>(agent?.max_steps ?? DEFAULT_MAX_STEPS);
  const [maxCost, setMaxCost] = useState(agent?.max_cost_usd ?? null);
  const { form, errors } = useFormMutation({
    send: () => {
      const text = instructions.trim() === '' ? null : instructions;
      const limits = { approval, max_steps: maxSteps ?? DEFAULT_MAX_STEPS, max_cost_usd: maxCost };
      const body = {
        name,
        instructions: text,
        model,
        temperature,
        knowledge_tags: tags,
        voice,
        fallbacks,
        tools,
        ...limits,
      };
      return agent === null ? client.agents.create(body) : client.agents.update(agent.id, body);
    },
    fields: tools.length > 0 ? [...FIELDS, ...LIMITS] : FIELDS,
    onSuccess: () => {
      onSaved();
      onClose();
    },
  });
  return (
    <DialogForm
      {...form}
      submitLabel={t('common.save')}
      onCancel={onClose}
      isIncomplete={name.trim() === '' || !isCompleteApproval(approval) || !tools.every(hasCompleteApproval)}
    >
      <TextInput
        label={t('common.name')}
        error={errors.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        required
        data-autofocus
      />
      <Textarea
        label={t('settings.instructions')}
        error={errors.instructions}
        description={t('settings.instructionsHint')}
        value={instructions}
        onChange={(event) => setInstructions(event.currentTarget.value)}
        autosize
        minRows={5}
        maxRows={16}
        maxLength={32_000}
      />
      <Group grow>
        <Select
          label={t('common.model')}
          error={errors.model}
          placeholder={t('common.defaultModel')}
          data={models.map(({ id }) => id)}
          value={model}
          onChange={setModel}
          clearable
          searchable
        />
        <NumberInput
          label={t('settings.temperature')}
          error={errors.temperature}
          placeholder={t('settings.modelDefault')}
          value={temperature ?? ''}
          onChange={(value) => setTemperature(typeof value === 'number' ? value : null)}
          min={0}
          max={2}
          step={0.1}
        />
      </Group>
      <TagsInput
        label={t('common.knowledge')}
        error={errors.knowledge_tags}
        description={[t('settings.knowledgeHint'), known.note].filter(Boolean).join('. ')}
        data={known.tags}
        maxTags={50}
        value={tags}
        onChange={setTags}
      />
      <Group grow align="flex-start">
        <VoiceSelect value={voice} onChange={setVoice} />
        <MultiSelect
          label={t('settings.fallbackModels')}
          error={errors.fallbacks}
          description={t('settings.fallbackHint')}
          data={models.map(({ id }) => id)}
          value={fallbacks}
          onChange={setFallbacks}
          maxValues={8}
          searchable
        />
      </Group>
      <Divider />
      <AgentToolsField value={tools} onChange={setTools} />
      {tools.length > 0 && (
        <>
          <ApprovalSelect
            label={t('settings.askForApproval')}
            description={t('settings.approvalHint')}
            value={approval}
            onChange={(changed) => setApproval(changed ?? 'writes')}
          />
          <Group grow align="flex-start">
            <NumberInput
              label={t('settings.maximumSteps')}
              error={errors.max_steps}
              description={t('settings.perAnswer')}
              value={maxSteps ?? ''}
              onChange={(value) => setMaxSteps(typeof value === 'number' ? value : null)}
              min={1}
              max={50}
              allowDecimal={false}
            />
            <NumberInput
              label={t('settings.maximumCost')}
              error={errors.max_cost_usd}
              description={t('settings.perAnswer')}
              placeholder={t('components.noLimit')}
              prefix="$"
              value={maxCost ?? ''}
              onChange={(value) => setMaxCost(typeof value === 'number' && value > 0 ? value : null)}
              min={0}
              max={10_000}
              step={0.1}
            />
          </Group>
        </>
      )}
    </DialogForm>
  );
}

const DEFAULT_MAX_STEPS = 8;

const FIELDS = ['name', 'instructions', 'model', 'temperature', 'knowledge_tags', 'fallbacks'] as const;
/** Shown only for agents with tools. */
const LIMITS = ['max_steps', 'max_cost_usd'] as const;

const hasCompleteApproval = (tool: Agent['tools'][number]) =>
  !('approval' in tool) || isCompleteApproval(tool.approval);

interface VoiceSelectProps {
  value: string | null;
  onChange: (voice: string | null) => void;
}

/** Keeps showing a selected voice that is not available. */
function VoiceSelect({ value, onChange }: VoiceSelectProps) {
  const { client } = useScope();
  const { data } = useQuery({
    queryKey: ['voices'],
    queryFn: async ({ signal }) => (await client.voice.meta({}, { signal })).speech.voices,
  });
  const names = new Map(data?.map(({ id, name }) => [id, name]));
  if (value !== null && !names.has(value)) names.set(value, value);
  return (
    <Select
      label={t('settings.voice')}
      description={t('settings.forSpokenAnswers')}
      placeholder={t('components.defaultVoice')}
      data={[...names].map(([id, label]) => ({ value: id, label }))}
      value={value}
      onChange={onChange}
      clearable
      searchable
    />
  );
}
