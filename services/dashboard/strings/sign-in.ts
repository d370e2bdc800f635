/** Texts of the sign-in screen. */
export const signInText = {
  title: 'Sign in to Inlet',
  token: 'API token',
  tokenHint:
    'Exchanged for a session with the permissions of the token. The browser does not store it.',
  signIn: 'Sign in',
  signingIn: 'Signing in …',
  linkHint: 'No token at hand? An administrator can print a link that signs you in:',
  linkCommand: 'inlet admin dashboard link --account ACCOUNT_ID',
};
