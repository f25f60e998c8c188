/** Encrypts secrets for the store. `purpose` names the record and the field; what was sealed for one purpose opens for no other. */
export interface SecretBox {
  seal(plain: string, purpose: string): Promise<string> | string;
  open(sealed: string, purpose: string): Promise<string> | string;
}

/** Stores secrets as they are. */
export const noSecretBox: SecretBox = { seal: (plain) => plain, open: (sealed) => sealed };
