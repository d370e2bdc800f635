"""Calls tools of the MCP server, in both ways that the protocol has had: URL and token are arguments."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url, token):
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http:
        for mode in ["auto", "legacy"]:
            async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
                tools = [tool.name for tool in (await client.list_tools()).tools]
                created = await client.call_tool("create_address", {"ttl_hours": 1})
                address_id = created.structured_content["address_id"]
                waited = await client.call_tool(
                    "wait_for_email", {"address_id": address_id, "timeout_seconds": 1}
                )
                unknown = await client.call_tool("get_email", {"event_id": "evt_1"})
                print(
                    json.dumps(
                        {
                            "version": client.protocol_version,
                            "tools": tools,
                            "waited": waited.content[0].text,
                            "is_error": unknown.is_error,
                        }
                    )
                )


asyncio.run(main(*sys.argv[1:]))
