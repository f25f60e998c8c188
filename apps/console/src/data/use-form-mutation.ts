import { useMutation } from '@tanstack/react-query';
import { formErrors } from './describe-error.ts';

interface FormMutation<Data, Field extends string> {
  send: () => Promise<Data>;
  /** The form's fields, by their names in the request. */
  fields: readonly Field[];
  onSuccess: (data: Data) => unknown;
}

/** Sends a form. Mistakes are shown at their fields, and all other errors above them. */
export function useFormMutation<Data, Field extends string>({ send, fields, onSuccess }: FormMutation<Data, Field>) {
  // Without this, an error would also be shown as a notification.
  const { mutate, isPending, error, data } = useMutation({ mutationFn: send, onError: undefined, onSuccess });
  const { at, rest } = formErrors(error, fields);
  return { form: { onSubmit: () => mutate(), isPending, error: rest }, errors: at, data };
}
