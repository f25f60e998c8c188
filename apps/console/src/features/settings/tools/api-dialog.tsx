import type { BodyOf, ToolApi } from '@chorus/client';
import { Input, SegmentedControl, Switch, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { DialogForm } from '../../../components/form.tsx';
import { RecordDialog } from '../../../components/record-dialog.tsx';
import { useFormMutation } from '../../../data/use-form-mutation.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { type Credentials, CredentialsField, hasAll, NO_CREDENTIALS, toAuth } from './credentials-field.tsx';
import { LeastApprovalSelect } from './least-approval-select.tsx';
import { StoredSecrets } from './stored-secrets.tsx';

interface ApiDialogProps {
  api: ToolApi | 'new' | null;
  onClose: () => void;
  onSaved: () => void;
}

export function ApiDialog({ api, ...rest }: ApiDialogProps) {
  return (
    <RecordDialog
      record={api}
      onClose={rest.onClose}
      titles={{ create: t('settings.addApi'), edit: t('settings.api') }}
    >
      {(edited) => <ApiForm api={edited} {...rest} />}
    </RecordDialog>
  );
}

const MAX_DOCUMENT_CHARS = 2_000_000;

/** Source of the document. `keep` leaves the stored one. */
type Source = 'keep' | 'address' | 'text';

function ApiForm({ api, onClose, onSaved }: Omit<ApiDialogProps, 'api'> & { api: ToolApi | null }) {
  const { client } = useScope();
  const [name, setName] = useState(api?.name ?? '');
  const [source, setSource] = useState<Source>(api === null ? 'address' : 'keep');
  const [address, setAddress] = useState(api?.document_url ?? '');
  const [document, setDocument] = useState('');
  const [baseUrl, setBaseUrl] = useState(api?.base_url ?? '');
  const [enabled, setEnabled] = useState(api?.enabled ?? true);
  const [leastApproval, setLeastApproval] = useState(api?.min_approval ?? 'never');
  /** Null keeps the stored credentials. */
  const [credentials, setCredentials] = useState<Credentials | null>(api === null ? NO_CREDENTIALS : null);
  const { form, errors } = useFormMutation({
    send: () => {
      const body: BodyOf<'PATCH /tool-apis/{api_id}'> = {
        name,
        enabled,
        min_approval: leastApproval,
        ...(source === 'address' && { document_url: address }),
        ...(source === 'text' && { document }),
        ...(baseUrl.trim() !== '' && baseUrl !== api?.base_url && { base_url: baseUrl }),
        ...(credentials !== null && { auth: toAuth(credentials) }),
      };
      return api === null ? client.toolApis.create({ ...body, name }) : client.toolApis.update(api.id, body);
    },
    fields: ['name', source === 'address' ? 'document_url' : 'document', 'base_url'],
    onSuccess: () => {
      onSaved();
      onClose();
    },
  });
  const hasDocument = source === 'keep' || (source === 'address' ? address.trim() !== '' : document.trim() !== '');
  return (
    <DialogForm
      {...form}
      submitLabel={api === null ? t('components.add') : t('common.save')}
      onCancel={onClose}
      isIncomplete={name.trim() === '' || !hasDocument || (credentials !== null && !hasAll(credentials))}
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
      <Input.Wrapper label={t('settings.openapiDocument')} labelElement="div">
        <SegmentedControl
          fullWidth
          mt={4}
          aria-label={t('settings.openapiDocument')}
          value={source}
          onChange={setSource}
          data={[
            ...(api === null ? [] : [{ value: 'keep' as const, label: t('settings.keep') }]),
            { value: 'address', label: t('settings.fromAnAddress') },
            { value: 'text', label: t('settings.pasteIt') },
          ]}
        />
      </Input.Wrapper>
      {source === 'address' && (
        <TextInput
          label={t('settings.documentAddress')}
          error={errors.document_url}
          description={t('settings.documentAddressHint')}
          placeholder={'https://api.example.org/openapi.json'}
          type="url"
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          maxLength={2_000}
          required
        />
      )}
      {source === 'text' && (
        <Textarea
          label={t('components.document')}
          error={errors.document}
          description={t('settings.documentHint')}
          value={document}
          onChange={(event) => setDocument(event.currentTarget.value)}
          maxLength={MAX_DOCUMENT_CHARS}
          rows={8}
          required
        />
      )}
      <TextInput
        label={t('settings.baseAddress')}
        error={errors.base_url}
        description={t('settings.baseAddressHint')}
        placeholder={'https://api.example.org/v1'}
        type="url"
        value={baseUrl}
        onChange={(event) => setBaseUrl(event.currentTarget.value)}
        maxLength={2_000}
      />
      {credentials === null ? (
        <StoredSecrets
          label={t('settings.credentials')}
          description={t('settings.storedNeverShown')}
          names={api === null ? [] : storedNames(api.auth)}
          replaceLabel={t('settings.replaceCredentials')}
          onReplace={() => setCredentials(NO_CREDENTIALS)}
        />
      ) : (
        <CredentialsField value={credentials} onChange={setCredentials} />
      )}
      <LeastApprovalSelect value={leastApproval} onChange={setLeastApproval} />
      <Switch
        label={t('settings.enabled')}
        description={t('settings.apiEnabledHint')}
        checked={enabled}
        onChange={(event) => setEnabled(event.currentTarget.checked)}
      />
    </DialogForm>
  );
}

/** Names what is stored, such as the header of a key. */
function storedNames({ type, name }: ToolApi['auth']): string[] {
  return type === 'none' ? [] : [name ?? type];
}
