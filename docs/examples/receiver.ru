# Ruby, Rack: also the core of Rails and Sinatra. gem install puma; puma -p 3000 receiver.ru
require 'json'
require 'openssl'

MAX_BODY_BYTES = 64 * 1024 * 1024
KEY = ENV.fetch('WEBHOOK_SECRET').delete_prefix('whsec_').unpack1('m')
SEEN = {} # use your database: a unique index on event_id
LOCK = Mutex.new

def work(email)
  warn "#{email['event_id']} #{email['headers']['subject']}"
end

def valid_signature?(body, env)
  id, time, signatures = %w[ID TIMESTAMP SIGNATURE].map { |name| env["HTTP_WEBHOOK_#{name}"].to_s }
  return false if id.start_with?('ask_') # a question to a hook is no webhook
  return false unless time.match?(/\A\d{1,12}\z/) && (Time.now.to_i - time.to_i).abs <= 300

  mac = OpenSSL::HMAC.digest('SHA256', KEY, "#{id}.#{time}.#{body}")
  expected = "v1,#{[mac].pack('m0')}"
  signatures.split.any? { |signature| OpenSSL.secure_compare(expected, signature) }
end

def status_for(env)
  return 405 unless env['REQUEST_METHOD'] == 'POST'
  return 413 unless (1..MAX_BODY_BYTES).cover?(env['CONTENT_LENGTH'].to_i)

  body = env['rack.input'].read # the raw body: its bytes are signed
  return 401 unless valid_signature?(body, env)

  email = JSON.parse(body)
  return 204 if email['is_test'] # a sample, not an email

  is_new = LOCK.synchronize { !SEEN.key?(email['event_id']) && SEEN[email['event_id']] = true }
  Thread.new { work(email) } if is_new # after the response
  204
end

run ->(env) { [status_for(env), {}, []] }
