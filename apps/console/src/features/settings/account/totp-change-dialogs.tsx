import { PasswordInput, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { Failure } from '../../../account/failure.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/dialog-form.tsx';
import { notifyDone } from '../../../data/notify.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import type { TotpDialogProps } from './totp-set-up-dialog.tsx';

interface Proof {
  current_password: string;
  code: string;
}

export function DisableTotpDialog({ opened, onClose, onDone }: TotpDialogProps) {
  const { client } = useAccount();
  const disable = useMutation({
    mutationFn: (proof: Proof) => client.me.totp.disable(proof),
    onSuccess: () => {
      onDone();
      onClose();
      notifyDone('Two-factor authentication is off.');
    },
  });
  return (
    <Dialog opened={opened} onClose={onClose} title="Turn off two-factor authentication?">
      <ProofForm
        submit="Turn off"
        onSubmit={disable.mutate}
        onCancel={onClose}
        isPending={disable.isPending}
        error={disable.error}
      >
        Signing in will only ask for your password.
      </ProofForm>
    </Dialog>
  );
}

export function RecoveryCodesDialog(props: TotpDialogProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title="New recovery codes" closeOnClickOutside={false}>
      <RenewForm {...props} />
    </Dialog>
  );
}

function RenewForm({ onClose, onDone }: TotpDialogProps) {
  const { client } = useAccount();
  const renew = useMutation({
    mutationFn: (proof: Proof) => client.me.totp.renewRecoveryCodes(proof),
    onSuccess: onDone,
  });
  if (renew.data) return <RecoveryCodes codes={renew.data.recovery_codes} onClose={onClose} />;
  return (
    <ProofForm
      submit="Get new codes"
      onSubmit={renew.mutate}
      onCancel={onClose}
      isPending={renew.isPending}
      error={renew.error}
    >
      Your old recovery codes stop working.
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

/** Asks for the password and a code. */
function ProofForm({ submit, onSubmit, onCancel, isPending, error, children }: ProofFormProps) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  return (
    <DialogForm
      submit={submit}
      onSubmit={() => onSubmit({ current_password: password, code })}
      onCancel={onCancel}
      isPending={isPending}
      isIncomplete={password === '' || code.trim().length < 6}
    >
      <Text size="sm">{children}</Text>
      {error && <Failure error={error} />}
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        required
        data-autofocus
      />
      <TextInput
        label="Code"
        description="From your authenticator app, or a recovery code"
        autoComplete="one-time-code"
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        required
      />
    </DialogForm>
  );
}
