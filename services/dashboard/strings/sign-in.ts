/** Texts of the sign-in screen. */
export const signInText = {
  title: 'Sign in to Inlet',
  token: 'API token',
  tokenPlaceholder: 'svc_live_…',
  tokenHint:
    'Exchanged for a session with the permissions of the token. The browser does not store it.',
  signIn: 'Sign in',
  signingIn: 'Signing in …',
  singleSignOn: 'Sign in with your organization',
  or: 'or with an API token',
  switchTitle: 'Switch to another account?',
  switchAction: 'Switch',
  usedLink: 'This link has been used or has expired. Ask for a new one.',
  invalidToken: 'This token is not valid.',
  ended: 'Your session has ended. Sign in again.',
  problems: {
    provider_unavailable: 'The sign-in service of your organization does not answer. Try again.',
    provider_refused: 'The sign-in service of your organization ended the sign-in.',
    not_confirmed: 'The answer of the sign-in service could not be verified. Try again.',
    not_started_here:
      'This sign-in was not started in this browser, was used already, or took too long. Try again.',
    email_not_verified:
      'Your organization has not verified your email address. Ask its administrator.',
    no_account: 'Your organization has not assigned you an account here. Ask its administrator.',
    several_accounts:
      'Your organization has assigned you several accounts here. Ask its administrator.',
    account_suspended: 'This account is suspended. Contact the operator of this service.',
    too_many_members: 'This account cannot have more members. Ask its administrator.',
    no_permission: 'Your organization has given you no permission here. Ask its administrator.',
    too_many_attempts: 'Too many failed attempts. Wait a minute.',
    internal_error: 'The sign-in failed because of an error here. Try again.',
  } as Readonly<Record<string, string>>,
  linkHint: 'No token at hand? An administrator can print a link that signs you in:',
  linkCommand: 'inlet admin dashboard link --account ACCOUNT_ID',
};
