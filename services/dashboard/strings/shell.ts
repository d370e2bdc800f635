/** Texts of the frame around the screens. */
export const shellText = {
  skip: 'Skip to content',
  navigation: 'Screens',
  search: 'Jump to',
  test: 'Test',
  live: 'Live',
  notLive: 'Not live',
  scheme: {
    system: 'Colors: as the system',
    light: 'Colors: light',
    dark: 'Colors: dark',
  },
  shortcuts: 'Keyboard shortcuts',
  signOut: 'Sign out',
  palette: 'Command palette',
  palettePlaceholder: 'Go to a screen, or run an action',
  goTo: (screen: string) => `Go to ${screen}`,
  close: 'Close',
  nextRow: 'Next row',
  previousRow: 'Previous row',
  openRow: 'Open the row',
  unknownTitle: 'There is no such screen',
  unknownText: 'The link may be incomplete.',
  toStart: 'To the start',
  forbiddenTitle: 'Not covered by your session',
  forbiddenText: (permission: string) =>
    `This screen needs the permission ${permission}. Sign in with a token or link that has it.`,
};
