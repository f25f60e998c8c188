import { Code, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { Failure } from '../../../account/failure.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/dialog-form.tsx';
import { QrCode } from './qr-code.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

export interface TotpDialogProps {
  opened: boolean;
  onClose: () => void;
  onDone: () => void;
}

export function TotpSetUpDialog(props: TotpDialogProps) {
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title="Set up two-factor authentication"
      closeOnClickOutside={false}
    >
      <SetUp {...props} />
    </Dialog>
  );
}

/** The password, then the app's first code, then the recovery codes. */
function SetUp({ onClose, onDone }: TotpDialogProps) {
  const { client } = useAccount();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const begin = useMutation({ mutationFn: () => client.me.totp.begin({ current_password: password }) });
  const confirm = useMutation({
    mutationFn: () => client.me.totp.confirm(code),
    onSuccess: onDone,
    onError: () => setCode(''),
  });
  if (confirm.data) return <RecoveryCodes codes={confirm.data.recovery_codes} onClose={onClose} />;
  if (begin.data)
    return (
      <DialogForm
        submit="Turn on"
        onSubmit={() => confirm.mutate()}
        onCancel={onClose}
        isPending={confirm.isPending}
        isIncomplete={code.trim().length < 6}
      >
        <Text size="sm">Scan this with your authenticator app:</Text>
        <QrCode text={begin.data.uri} label="QR code for your authenticator app" />
        <Stack gap={4}>
          <Text size="sm">Or enter this key there:</Text>
          <Code block>{begin.data.secret.replace(/(.{4})(?=.)/g, '$1 ')}</Code>
        </Stack>
        {confirm.error && <Failure error={confirm.error} />}
        <TextInput
          label="Code"
          description="The six digits that the app shows now"
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
      submit="Continue"
      onSubmit={() => begin.mutate()}
      onCancel={onClose}
      isPending={begin.isPending}
      isIncomplete={password === ''}
    >
      {begin.error && <Failure error={begin.error} />}
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        required
        data-autofocus
      />
    </DialogForm>
  );
}
