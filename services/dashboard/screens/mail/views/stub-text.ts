/** Whether a text only says where the email is, such as “See the HTML” or “View it in your browser”. */
export const isStub = (text: string): boolean =>
  text.length < STUB_MAX_CHARS && /\bhtml\b|\bbrowser\b/i.test(text);
const STUB_MAX_CHARS = 200;
