import { Alert, Button, Code, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { encode } from 'uqr';
import { useAccount } from '../../../account/account-gate.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/form.tsx';
import { ErrorAlert } from '../../../components/placeholders.tsx';
import { Secret } from '../../../components/secret.tsx';
import { notifySuccess } from '../../../data/notify.ts';
import { t } from '../../../i18n/i18n.ts';

interface TotpDialogProps {
  opened: boolean;
  onClose: () => void;
  onDone: () => void;
}

export function TotpSetUpDialog(props: TotpDialogProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('settings.setUpTotp')} closeOnClickOutside={false}>
      <SetUp {...props} />
    </Dialog>
  );
}

/** Asks for the password, then the first code, then shows the recovery codes. */
function SetUp({ onClose, onDone }: TotpDialogProps) {
  const { client } = useAccount();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const start = useMutation({
    mutationFn: () => client.me.totp.begin({ current_password: password }),
    onError: undefined, // shown in the form
  });
  const confirm = useMutation({
    mutationFn: () => client.me.totp.confirm(code),
    onSuccess: onDone,
    onError: () => setCode(''),
  });
  if (confirm.data) return <RecoveryCodes codes={confirm.data.recovery_codes} onClose={onClose} />;
  if (start.data)
    return (
      <DialogForm
        submitLabel={t('settings.turnOn')}
        onSubmit={() => confirm.mutate()}
        onCancel={onClose}
        isPending={confirm.isPending}
        isIncomplete={code.trim().length < 6}
      >
        <Text size="sm">{t('settings.scanQrCode')}</Text>
        <QrCode text={start.data.uri} label={t('settings.qrCode')} />
        <Stack gap={4}>
          <Text size="sm">{t('settings.orEnterKey')}</Text>
          <Code block>{start.data.secret.replace(/(.{4})(?=.)/g, '$1 ')}</Code>
        </Stack>
        {confirm.error && <ErrorAlert error={confirm.error} />}
        <TextInput
          label={t('components.code')}
          description={t('settings.codeHint')}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          required
          autoFocus
        />
      </DialogForm>
    );
  return (
    <DialogForm
      submitLabel={t('components.continue')}
      onSubmit={() => start.mutate()}
      onCancel={onClose}
      isPending={start.isPending}
      isIncomplete={password === ''}
    >
      {start.error && <ErrorAlert error={start.error} />}
      <PasswordInput
        label={t('settings.currentPassword')}
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        required
        data-autofocus
      />
    </DialogForm>
  );
}

interface Proof {
  current_password: string;
  code: string;
}

export function DisableTotpDialog({ opened, onClose, onDone }: TotpDialogProps) {
  const { client } = useAccount();
  const disable = useMutation({
    mutationFn: (proof: Proof) => client.me.totp.disable(proof),
    onError: undefined, // shown in the form
    onSuccess: () => {
      onDone();
      onClose();
      notifySuccess(t('settings.totpIsOff'));
    },
  });
  return (
    <Dialog opened={opened} onClose={onClose} title={t('settings.turnOffTotpQuestion')}>
      <ProofForm
        submit={t('settings.turnOff')}
        onSubmit={disable.mutate}
        onCancel={onClose}
        isPending={disable.isPending}
        error={disable.error}
      >
        {t('settings.turnOffTotpHint')}
      </ProofForm>
    </Dialog>
  );
}

export function RecoveryCodesDialog(props: TotpDialogProps) {
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={t('settings.newRecoveryCodes')}
      closeOnClickOutside={false}
    >
      <RenewForm {...props} />
    </Dialog>
  );
}

function RenewForm({ onClose, onDone }: TotpDialogProps) {
  const { client } = useAccount();
  const renew = useMutation({
    mutationFn: (proof: Proof) => client.me.totp.renewRecoveryCodes(proof),
    onError: undefined, // shown in the form
    onSuccess: onDone,
  });
  if (renew.data) return <RecoveryCodes codes={renew.data.recovery_codes} onClose={onClose} />;
  return (
    <ProofForm
      submit={t('settings.getNewCodes')}
      onSubmit={renew.mutate}
      onCancel={onClose}
      isPending={renew.isPending}
      error={renew.error}
    >
      {t('settings.oldCodesStop')}
    </ProofForm>
  );
}

interface ProofFormProps {
  submit: string;
  onSubmit: (proof: Proof) => void;
  onCancel: () => void;
  isPending: boolean;
  error: Error | null;
  children: ReactNode;
}

function ProofForm({ submit, onSubmit, onCancel, isPending, error, children }: ProofFormProps) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  return (
    <DialogForm
      submitLabel={submit}
      onSubmit={() => onSubmit({ current_password: password, code })}
      onCancel={onCancel}
      isPending={isPending}
      isIncomplete={password === '' || code.trim().length < 6}
    >
      <Text size="sm">{children}</Text>
      {error && <ErrorAlert error={error} />}
      <PasswordInput
        label={t('settings.currentPassword')}
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        required
        data-autofocus
      />
      <TextInput
        label={t('components.code')}
        description={t('settings.codeOrRecoveryCode')}
        autoComplete="one-time-code"
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        required
      />
    </DialogForm>
  );
}

/** Cameras need this margin, in modules. */
const BORDER = 4;

/** Always dark on white, because some cameras cannot read inverted codes. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: BORDER });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      width={220}
      height={220}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={`M0 0h${size}v${size}h-${size}z`} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" title={t('settings.saveCodesNow')}>
        {t('settings.saveCodesHint')}
      </Alert>
      <Secret value={codes.join('\n')} />
      <Button onClick={onClose}>{t('settings.codesSaved')}</Button>
    </Stack>
  );
}
