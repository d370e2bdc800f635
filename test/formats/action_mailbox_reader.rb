# frozen_string_literal: true

# What Rails' Action Mailbox takes of webhooks, each a line of JSON: its relay ingress, with a database
# in memory.
require 'json'
require 'logger'
require 'tmpdir'
require 'rails'
require 'active_record/railtie'
require 'active_storage/engine'
require 'action_controller/railtie'
require 'action_mailbox/engine'
require 'rack/mock'

ENV['RAILS_INBOUND_EMAIL_PASSWORD'] = 'secret'
ENV['DATABASE_URL'] = 'sqlite3::memory:'
FOLDER = Dir.mktmpdir
at_exit { FileUtils.rm_rf(FOLDER) }

class Application < Rails::Application
  config.root = FOLDER
  config.eager_load = false
  config.log_level = :fatal
  config.load_defaults 6.1
  config.logger = Logger.new($stderr, level: Logger::FATAL)
  config.secret_key_base = 'x' * 64
  config.hosts.clear
  config.active_job.queue_adapter = :inline
  config.active_storage.service = :test
  config.active_storage.service_configurations = { test: { service: 'Disk', root: "#{FOLDER}/files" } }
  config.action_mailbox.ingress = :relay
  config.action_mailbox.incinerate = false
end
Rails.application.initialize!

ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define do
  create_table :active_storage_blobs do |t|
    t.string :key, null: false, index: { unique: true }
    t.string :filename, null: false
    t.string :content_type
    t.text :metadata
    t.string :service_name, null: false
    t.bigint :byte_size, null: false
    t.string :checksum, null: false
    t.datetime :created_at, null: false
  end
  create_table :active_storage_attachments do |t|
    t.string :name, null: false
    t.references :record, null: false, polymorphic: true, index: false
    t.references :blob, null: false
    t.datetime :created_at, null: false
  end
  create_table :action_mailbox_inbound_emails do |t|
    t.integer :status, default: 0, null: false
    t.string :message_id, null: false
    t.string :message_checksum, null: false
    t.timestamps
    t.index %i[message_id message_checksum], unique: true, name: 'one_of_each'
  end
end

class ApplicationMailbox < ActionMailbox::Base
  routing all: :everything
end

class EverythingMailbox < ActionMailbox::Base
  def process
    $processed << { recipients: mail.recipients, subject: mail.subject }
  end
end

$stdin.each_line do |line|
  webhook = JSON.parse(line)
  $processed = []
  response = Rack::MockRequest.new(Rails.application).post(
    '/rails/action_mailbox/relay/inbound_emails',
    'CONTENT_TYPE' => webhook['contentType'],
    'HTTP_AUTHORIZATION' => webhook['authorization'],
    input: webhook['body'].unpack1('m'),
  )
  stored = ActionMailbox::InboundEmail.last
  puts JSON.generate(
    status: response.status,
    processed: $processed,
    source: stored && [stored.raw_email.download].pack('m0'),
    count: ActionMailbox::InboundEmail.count,
  )
rescue StandardError => e
  puts JSON.generate(exception: "#{e.class}: #{e.message}")
ensure
  $stdout.flush
end
