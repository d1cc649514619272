# install.cmake: installs what was built (FROM) into a new folder (TO), so that consumers find nothing else.
# Flow: the test consumers/install; other projects are built against TO.
file(REMOVE_RECURSE ${TO})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${FROM} --prefix ${TO} COMMAND_ERROR_IS_FATAL ANY)
