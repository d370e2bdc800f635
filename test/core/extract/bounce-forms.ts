/** Bounces in the words of mail servers that write no part for programs, each with what it says. */
export type Form = {
  name: string;
  subject: string;
  from?: string;
  headers?: { name: string; value: string }[];
  text: string;
  /** Address, action, status, beginning of the diagnostic, permanent. */
  recipients: [string, string, string | null, string | null, boolean][];
  messageId: string | null;
};

const ORIGINAL = `Return-Path: <shop@example.com>
Received: from app.example.com by mx.example.com; Fri, 20 Nov 2026 09:30:00 +0000
From: Shop <shop@example.com>
To: Bob <bob@example.net>
Subject: Your order
Message-ID: <20261120.4711@example.com>

Thank you for your order, ann@example.org.
`;
const ID = '<20261120.4711@example.com>';

export const FORMS: Form[] = [
  {
    name: 'Exim, with the address for errors',
    subject: 'Mail delivery failed',
    text: `This message was created automatically by mail delivery software.

A message sent by

  <news@desk.example>

could not be delivered to one or more of its recipients. The following
address(es) failed:

  bob@example.net
    host mx.example.net [192.0.2.25]: 550 5.1.1 User unknown

${ORIGINAL}`,
    recipients: [['bob@example.net', 'failed', '5.1.1', 'host mx.example.net', true]],
    messageId: ID,
  },
  {
    name: 'Postfix, with a help desk',
    subject: 'Undelivered Mail Returned to Sender',
    from: 'MAILER-DAEMON@mx.example.org',
    text: `This is the mail system at host mx.example.org.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients.

For further assistance, please contact our help desk:

<help@mx.pool.example>

                   The mail system

<bob@example.net>: host mx.example.net[192.0.2.25] said: 552 5.2.2 Mailbox full
    (in reply to RCPT TO command)
`,
    recipients: [
      ['bob@example.net', 'failed', '5.2.2', 'host mx.example.net[192.0.2.25] said', true],
    ],
    messageId: null,
  },
  {
    name: 'only a help desk',
    subject: 'Undeliverable: Your order',
    text: `Your message could not be delivered.
If you have questions, send mail to help@mx.example.org or contact
<admin@mx.example.org>
`,
    recipients: [],
    messageId: null,
  },
  {
    name: 'a list of those who were reached',
    subject: 'Delivery failure',
    text: `Your message was successfully delivered to:

  ann@example.org
  eve@example.org

It could not be delivered to the following recipients:

  bob@example.net
  550 5.1.1 No such user
`,
    recipients: [['bob@example.net', 'failed', '5.1.1', '550 5.1.1 No such user', true]],
    messageId: null,
  },
  {
    name: 'the sender, by the header of the returned email',
    subject: 'Returned mail: see transcript for details',
    text: `Your message was refused by policy (550 5.7.1).

shop@example.com

bob@example.net

${ORIGINAL}`,
    recipients: [
      ['bob@example.net', 'failed', '5.7.1', 'Your message was refused by policy', true],
    ],
    messageId: ID,
  },
  {
    name: 'qmail',
    subject: 'failure notice',
    text: `Hi. This is the qmail-send program at mx.example.org.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<bob@example.net>:
Sorry, no mailbox here by that name. (#5.1.1)

<eve@example.net>:
192.0.2.25 does not like recipient.
Remote host said: 552 Mailbox full
Giving up on 192.0.2.25.

--- Below this line is a copy of the message.

${ORIGINAL}`,
    recipients: [
      ['bob@example.net', 'failed', '5.1.1', 'Sorry, no mailbox here by that name. (#5.1.1)', true],
      [
        'eve@example.net',
        'failed',
        null,
        '192.0.2.25 does not like recipient. Remote host said: 552',
        true,
      ],
    ],
    messageId: ID,
  },
  {
    name: 'Exim',
    subject: 'Mail delivery failed: returning message to sender',
    headers: [{ name: 'X-Failed-Recipients', value: 'bob@example.net' }],
    text: `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  bob@example.net
    host mx.example.net [192.0.2.25]
    SMTP error from remote mail server after RCPT TO:<bob@example.net>:
    550 5.1.1 <bob@example.net>: Recipient address rejected

------ This is a copy of the message, including all the headers. ------

${ORIGINAL}`,
    recipients: [
      ['bob@example.net', 'failed', '5.1.1', 'host mx.example.net [192.0.2.25] SMTP error', true],
    ],
    messageId: ID,
  },
  {
    name: 'Exim, a delay',
    subject: 'Warning: message 1kABCD-0001 delayed 24 hours',
    from: 'Mail Delivery System <Mailer-Daemon@mx.example.org>',
    text: `This message was created automatically by mail delivery software.
A message that you sent has not yet been delivered to one or more of its
recipients after more than 24 hours on the queue on mx.example.org.

The message identifier is:     1kABCD-0001
The subject of the message is: Your order

The address to which the message has not yet been delivered is:

  bob@example.net
    Delay reason: Connection timed out

No action is required on your part. Delivery attempts will continue for
some time, and this warning may be repeated at intervals.
`,
    recipients: [['bob@example.net', 'delayed', null, 'Delay reason: Connection timed out', false]],
    messageId: null,
  },
  {
    name: 'Postfix, text only',
    subject: 'Undelivered Mail Returned to Sender',
    from: 'MAILER-DAEMON@mx.example.org (Mail Delivery System)',
    text: `This is the mail system at host mx.example.org.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients. It's attached below.

For further assistance, please send mail to postmaster.

                   The mail system

<bob@example.net>: host mx.example.net[192.0.2.25] said: 550 5.1.1
    <bob@example.net>: Recipient address rejected: User unknown (in reply to
    RCPT TO command)

<eve@example.net>: connect to mx.example.net[192.0.2.25]:25: Connection refused
`,
    recipients: [
      [
        'bob@example.net',
        'failed',
        '5.1.1',
        'host mx.example.net[192.0.2.25] said: 550 5.1.1 <bob',
        true,
      ],
      [
        'eve@example.net',
        'failed',
        null,
        'connect to mx.example.net[192.0.2.25]:25: Connection',
        false,
      ],
    ],
    messageId: null,
  },
  {
    name: 'Sendmail',
    subject: 'Returned mail: see transcript for details',
    text: `The original message was received at Fri, 20 Nov 2026 09:30:00 GMT
from app.example.com [192.0.2.1]

   ----- The following addresses had permanent fatal errors -----
<bob@example.net>
    (reason: 550 5.1.1 User unknown)

   ----- Transcript of session follows -----
... while talking to mx.example.net.:
>>> DATA
<<< 550 5.1.1 User unknown
550 5.1.1 <bob@example.net>... User unknown
<<< 503 5.0.0 Need RCPT (recipient)

   ----- Original message follows -----

${ORIGINAL}`,
    recipients: [['bob@example.net', 'failed', '5.1.1', '550 5.1.1 User unknown', true]],
    messageId: ID,
  },
  {
    name: 'Sendmail with the transcript alone',
    subject: 'Returned mail: User unknown',
    text: `   ----- Transcript of session follows -----
... while talking to mx.example.net:
>>> RCPT To:<bob@example.net>
<<< 550 5.1.1 <bob@example.net>... User unknown
550 <bob@example.net>... User unknown

   ----- Unsent message follows -----
${ORIGINAL}`,
    recipients: [['bob@example.net', 'failed', '5.1.1', '550 5.1.1', true]],
    messageId: ID,
  },
  {
    name: 'Exchange 5.5',
    subject: 'Undeliverable: Your order',
    from: 'System Administrator <postmaster@example.net>',
    text: `Your message

  To:      bob@example.net
  Subject: Your order
  Sent:    Fri, 20 Nov 2026 09:30:00 -0000

did not reach the following recipient(s):

bob@example.net on Fri, 20 Nov 2026 09:31:00 -0000
    The recipient name is not recognized
	The MTS-ID of the original message is: c=us;a= ;p=example;l=MAIL0102
    MSEXCH:IMS:EXAMPLE:SITE:MAIL 0 (000C05A6) Unknown Recipient
`,
    recipients: [
      ['bob@example.net', 'failed', null, 'The recipient name is not recognized', false],
    ],
    messageId: null,
  },
  {
    name: 'Exchange 2000',
    subject: 'Undeliverable: Your order',
    from: 'postmaster@example.net',
    text: `Your message

  To:      Bob
  Subject: Your order
  Sent:    Fri, 20 Nov 2026 09:30:00 -0000

did not reach the following recipient(s):

bob@example.net on Fri, 20 Nov 2026 09:31:00 -0000
    The e-mail account does not exist at the organization this message was sent
to.  Check the e-mail address, or contact the recipient directly to find out
the correct address.
    <mx.example.net #5.1.1>
`,
    recipients: [['bob@example.net', 'failed', '5.1.1', 'The e-mail account does not exist', true]],
    messageId: null,
  },
  {
    name: 'Exchange 2007',
    subject: 'Undeliverable: Your order',
    from: 'Microsoft Exchange <postmaster@example.net>',
    text: `Delivery has failed to these recipients or distribution lists:

bob@example.net<mailto:bob@example.net>
The recipient's e-mail address was not found in the recipient's e-mail system.
Microsoft Exchange will not try to redeliver this message for you.

________________________________

Diagnostic information for administrators:

Generating server: mail.example.net

bob@example.net
#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##

Original message headers:

${ORIGINAL}`,
    recipients: [
      ['bob@example.net', 'failed', '5.1.1', '550 5.1.1 RESOLVER.ADR.RecipNotFound', true],
    ],
    messageId: ID,
  },
  {
    name: 'Office 365',
    subject: 'Undeliverable: Your order',
    from: 'Microsoft Outlook <postmaster@example.onmicrosoft.example>',
    text: `Your message to bob@example.net couldn't be delivered.

bob wasn't found at example.net.

How to Fix It
The address may be misspelled or may not exist.

Original Message Details
Created Date: 11/20/2026 9:30:00 AM
Sender Address: shop@example.com
Recipient Address: bob@example.net
Subject: Your order
Message ID: <20261120.4711@example.com>

Error Details
Reported error: 550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient bob@example.net not found by SMTP address lookup
DSN generated by: AM0PR01.example.net
`,
    recipients: [
      ['bob@example.net', 'failed', '5.1.10', 'Reported error: 550 5.1.10 RESOLVER', true],
    ],
    messageId: ID,
  },
  {
    name: 'Gmail',
    subject: 'Delivery Status Notification (Failure)',
    from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.example>',
    headers: [
      { name: 'X-Failed-Recipients', value: 'bob@example.net' },
      { name: 'In-Reply-To', value: ID },
    ],
    text: `** Address not found **

Your message wasn't delivered to bob@example.net because the address couldn't be found.

Learn more here: https://support.example.com/mail/?p=NoSuchUser

The response was:

550 5.1.1 The email account that you tried to reach does not exist. Please try double-checking.
`,
    recipients: [['bob@example.net', 'failed', '5.1.1', '550 5.1.1 The email account', true]],
    messageId: ID,
  },
  {
    name: 'Gmail of former years',
    subject: 'Delivery Status Notification (Failure)',
    from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.example>',
    text: `Delivery to the following recipient failed permanently:

     bob@example.net

Technical details of permanent failure:
Google tried to deliver your message, but it was rejected by the server for the recipient domain.

The error that the other server returned was:
550 5.7.1 Message rejected

----- Original message -----

${ORIGINAL}`,
    recipients: [['bob@example.net', 'failed', '5.7.1', '550 5.7.1 Message rejected', true]],
    messageId: ID,
  },
  {
    name: 'Gmail, a delay',
    subject: 'Delivery Status Notification (Delay)',
    from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.example>',
    text: `This is an automatically generated Delivery Status Notification

THIS IS A WARNING MESSAGE ONLY.

YOU DO NOT NEED TO RESEND YOUR MESSAGE.

Delivery to the following recipient has been delayed:

     bob@example.net

Message will be retried for 2 more day(s)

Technical details of temporary failure:
The recipient server did not accept our requests to connect. [mx.example.net. (0): Connection timed out]
`,
    recipients: [
      ['bob@example.net', 'delayed', null, 'The recipient server did not accept', false],
    ],
    messageId: null,
  },
  {
    name: 'Yahoo',
    subject: 'Failure Notice',
    from: 'MAILER-DAEMON@yahoo.example',
    text: `Sorry, we were unable to deliver your message to the following address.

<bob@example.net>:
554: delivery error: dd This user doesn't have an example.net account (bob@example.net) [0] - mta1.example.net

--- Below this line is a copy of the message.

${ORIGINAL}`,
    recipients: [['bob@example.net', 'failed', null, '554: delivery error: dd', true]],
    messageId: ID,
  },
  {
    name: 'Domino',
    subject: 'DELIVERY FAILURE: User bob (bob@example.net) not listed in Domino Directory',
    text: `Your message

  Subject: Your order

was not delivered to:

  bob@example.net

because:

  User bob (bob@example.net) not listed in Domino Directory
`,
    recipients: [
      ['bob@example.net', 'failed', null, 'User bob (bob@example.net) not listed', false],
    ],
    messageId: null,
  },
  {
    name: 'Notes',
    subject: 'Undeliverable message',
    text: `------- Failure Reasons  --------

User not listed in public Name & Address Book
bob@example.net

------- Returned Message --------

${ORIGINAL}`,
    recipients: [
      ['bob@example.net', 'failed', null, 'User not listed in public Name & Address', false],
    ],
    messageId: ID,
  },
  {
    name: 'Courier',
    subject: 'NOTICE: mail delivery status.',
    from: '"Courier mail server at mx.example.org" <mailer-daemon@mx.example.org>',
    text: `This is a delivery status notification from mx.example.org,
running the Courier mail server, version 0.65.2.

The original message was received on Fri, 20 Nov 2026 09:30:00 +0000
from app.example.com (192.0.2.1)

---------------------------------------------------------------------------

                           UNDELIVERABLE MAIL

Your message to the following recipients cannot be delivered:

<bob@example.net>:
    mx.example.net [192.0.2.25]:
>>> RCPT TO:<bob@example.net>
<<< 550 5.1.1 <bob@example.net>... User Unknown

---------------------------------------------------------------------------

If your message was also sent to additional recipients, their delivery
status is not included in this report.
`,
    recipients: [['bob@example.net', 'failed', '5.1.1', 'mx.example.net [192.0.2.25]:', true]],
    messageId: null,
  },
  {
    name: 'MessageLabs',
    subject: 'Mail Delivery Failure',
    from: 'MAILER-DAEMON@messagelabs.example',
    text: `This is the mail delivery agent at messagelabs.example.
I was not able to deliver your message to the following addresses.

<bob@example.net>:
192.0.2.25 failed after I sent the message.
Remote host said: 542 bob@example.net Rejected

--- Below this line is a copy of the message.

${ORIGINAL}`,
    recipients: [
      ['bob@example.net', 'failed', null, '192.0.2.25 failed after I sent the message.', true],
    ],
    messageId: ID,
  },
  {
    name: 'GMX',
    subject: 'Mail delivery failed: returning message to sender',
    text: `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of
its recipients. This is a permanent error. The following address
failed:

"bob@example.net":
SMTP error from remote server after RCPT command:
host: mx.example.net
5.1.1 <bob@example.net>... User Unknown

--- The header of the original message is following. ---

${ORIGINAL}`,
    recipients: [['bob@example.net', 'failed', '5.1.1', 'SMTP error from remote server', true]],
    messageId: ID,
  },
  {
    name: 'Zoho',
    subject: 'Undelivered Mail Returned to Sender',
    from: 'mailer-daemon@mail.zoho.example',
    text: `This message was created automatically by mail delivery software.
 A message that you sent could not be delivered to one or more of its recipients. This is a permanent error.

bob@example.net Invalid Address, ERROR_CODE :550, ERROR_CODE :5.1.1 <bob@example.net>... User Unknown

Received: from mail.zoho.example by mx.zohomail.example
Message-ID: <20261120.4711@example.com>
`,
    recipients: [['bob@example.net', 'failed', '5.1.1', 'Invalid Address, ERROR_CODE :550', true]],
    messageId: ID,
  },
  {
    name: 'IMail',
    subject: 'Undeliverable Mail',
    text: `Unknown user: bob@example.net

Original message follows.

${ORIGINAL}`,
    recipients: [['bob@example.net', 'failed', null, null, false]],
    messageId: ID,
  },
  {
    name: 'iPlanet and Sun',
    subject: 'Delivery Notification: Delivery has failed',
    from: 'Internet Mail Delivery <postmaster@example.org>',
    text: `This report relates to a message you sent with the following header fields:

  Message-id: <20261120.4711@example.com>
  Date: Fri, 20 Nov 2026 09:30:00 +0000
  From: Shop <shop@example.com>
  To: bob@example.net
  Subject: Your order

Your message cannot be delivered to the following recipients:

  Recipient address: bob@example.net
  Reason: Remote SMTP server has rejected address
  Diagnostic code: smtp;550 5.1.1 unknown or illegal alias: bob@example.net
  Remote system: dns;mx.example.net (TCP|192.0.2.1|47323|192.0.2.25|25)
`,
    recipients: [
      ['bob@example.net', 'failed', '5.1.1', 'Remote SMTP server has rejected address', true],
    ],
    messageId: ID,
  },
  {
    name: 'GroupWise',
    subject: 'Message status - undeliverable',
    from: 'Mailer-Daemon@example.net',
    text: `The message that you sent was undeliverable to the following:
	bob@example.net (550 user not found)

Possibly truncated original message follows:

${ORIGINAL}`,
    recipients: [['bob@example.net', 'failed', null, '550 user not found', true]],
    messageId: ID,
  },
  {
    name: 'InterMail',
    subject: 'Mail System Error - Returned Mail',
    text: `This Message was undeliverable due to the following reason:

The user(s) account is temporarily over quota.

<bob@example.net>

Please reply to <Postmaster@example.net>
if you feel this message to be in error.
`,
    recipients: [
      ['bob@example.net', 'failed', null, 'The user(s) account is temporarily over quota.', false],
    ],
    messageId: null,
  },
  {
    name: 'MailMarshal',
    subject: 'Undeliverable Mail: "Your order"',
    from: 'postmaster@example.org',
    text: `Your message:
   From:    shop@example.com
   Subject: Your order

Could not be delivered because of

550 5.1.1 User unknown

The following recipients were affected:
    bob@example.net

Additional information:

    Original Sender:    <shop@example.com>
`,
    recipients: [['bob@example.net', 'failed', '5.1.1', '550 5.1.1 User unknown', true]],
    messageId: null,
  },
  {
    name: 'McAfee',
    subject: 'Delivery Status',
    from: 'mailer-daemon@example.org',
    text: `This is an automated message from the mail gateway.

--- The following addresses had delivery problems ---

<bob@example.net>   (User unknown bob@example.net)

-------------- Original Message Follows -------------
${ORIGINAL}`,
    recipients: [['bob@example.net', 'failed', null, 'User unknown bob@example.net', false]],
    messageId: ID,
  },
  {
    name: 'OpenSMTPD',
    subject: 'Delivery status notification: error',
    from: 'Mailer Daemon <mailer-daemon@example.org>',
    text: `    Hi!

    This is the MAILER-DAEMON, please DO NOT REPLY to this email.

    An error has occurred while attempting to deliver a message for
    the following list of recipients:

bob@example.net: 550 5.2.2 Mailbox full

    Below is a copy of the original message:

${ORIGINAL}`,
    recipients: [['bob@example.net', 'failed', '5.2.2', '550 5.2.2 Mailbox full', true]],
    messageId: ID,
  },
  {
    name: 'James',
    subject: 'Your order',
    from: 'postmaster@example.org',
    text: `Hi. This is the James mail server at mx.example.org.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out. Below
I include the list of recipients and the reason why I was unable to deliver
your message.

Failed recipient(s):
bob@example.net

Error message:
554 5.7.1 Relaying denied

Message details:
  Subject: Your order
`,
    recipients: [['bob@example.net', 'failed', '5.7.1', '554 5.7.1 Relaying denied', true]],
    messageId: null,
  },
  {
    name: 'IIS',
    subject: 'Delivery Status Notification (Failure)',
    from: 'postmaster@example.org',
    text: `This is an automatically generated Delivery Status Notification.

Delivery to the following recipients failed.

       bob@example.net
       eve@example.net
`,
    recipients: [
      ['bob@example.net', 'failed', null, null, false],
      ['eve@example.net', 'failed', null, null, false],
    ],
    messageId: null,
  },
  {
    name: 'MDaemon',
    subject: 'Permanent Delivery Failure',
    from: 'MDaemon <mailer-daemon@example.org>',
    text: `The attached message had PERMANENT fatal delivery errors!

After one or more unsuccessful delivery attempts the attached message has
been removed from the mail queue on this server.

Failed address: bob@example.net

--- Session Transcript ---
 Fri 2026-11-20 09:31:02: --> RCPT To:<bob@example.net>
 Fri 2026-11-20 09:31:02: <-- 550 5.1.1 no such user
--- End Transcript ---
`,
    recipients: [
      ['bob@example.net', 'failed', '5.1.1', 'Fri 2026-11-20 09:31:02: <-- 550 5.1.1', true],
    ],
    messageId: null,
  },
  {
    name: 'Exchange 4',
    subject: 'Undeliverable: Your order',
    from: 'System Administrator <postmaster@example.net>',
    text: `Your message did not reach some or all of the intended recipients.

      To:	bob@example.net
      Subject:	Your order
      Sent:	11/20/26 9:30:00 AM

The following recipient(s) could not be reached:

      bob@example.net on 11/20/26 9:31:00 AM
            Recipient Not Found
            MSEXCH:IMC:EXAMPLE:SITE:MAIL
`,
    recipients: [['bob@example.net', 'failed', null, 'Recipient Not Found MSEXCH', false]],
    messageId: null,
  },
  {
    name: 'm-FILTER, in Japanese',
    subject: 'failure notice',
    text: `このメールは自動的に生成して送信しています。

以下のメールアドレスへの送信に失敗しました。
bob@example.net


-------server message
550 5.1.1 <bob@example.net>: Recipient address rejected

-------SMTP command
DATA

-------original message
${ORIGINAL}`,
    recipients: [['bob@example.net', 'failed', '5.1.1', '550 5.1.1 <bob@example.net>: Rec', true]],
    messageId: ID,
  },
  {
    name: 'OpenMail',
    subject: 'Returned Mail: User unknown',
    from: '"Mail Deliver System" <MAILER-DAEMON>',
    text: `The original message was received at Fri, 20 Nov 2026 09:30:00 +0000
from shop@example.com

---The following addresses had delivery errors---

bob@example.net [User unknown]
`,
    recipients: [['bob@example.net', 'failed', null, 'User unknown', false]],
    messageId: null,
  },
  {
    name: 'Active!hunter',
    subject: 'FAILURE NOTICE : Your order',
    from: 'MAILER-DAEMON@example.net',
    text: `  ----- The following addresses had permanent fatal errors -----

>>> bob@example.net <bob@example.net>

  ----- Transcript of session follows -----
550 <bob@example.net>: Recipient address rejected: User unknown
`,
    recipients: [['bob@example.net', 'failed', null, '550 <bob@example.net>: Recipient', true]],
    messageId: null,
  },
  {
    name: 'a gateway to mobile phones',
    subject: 'Re:Your order',
    from: 'post_master@example.net',
    text: `Error: Invalid user address

Error message below:
550 - Requested action not taken: no such user here

Message details:
  Subject: Your order
  MAIL FROM: shop@example.com
  RCPT TO: 5550123@example.net
`,
    recipients: [['5550123@example.net', 'failed', null, '550 - Requested action not taken', true]],
    messageId: null,
  },
  {
    name: 'qmail, given up for a temporary reason',
    subject: 'failure notice',
    text: `Hi. This is the qmail-send program at mx.example.org.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<bob@example.net>:
192.0.2.25 does not like recipient.
Remote host said: 450 4.2.2 <bob@example.net>... Mailbox Full
Giving up on 192.0.2.25.
I'm not going to try again; this message has been in the queue too long.
`,
    recipients: [['bob@example.net', 'failed', '4.2.2', '192.0.2.25 does not like', false]],
    messageId: null,
  },
];
